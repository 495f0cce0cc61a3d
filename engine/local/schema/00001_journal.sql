-- +goose Up
-- What happened, in commit order. A segment is one turn's records of one stream, one line of JSON
-- each; a stream is a run, or "fleet". Everything else in this file can be rebuilt from it.
create table segment (
	id    integer primary key,
	run   text not null,
	first integer not null, -- sequence number of the first record
	last  integer not null,
	base  integer not null default 0, -- 1: a fold may begin here
	body  blob not null
) strict;
create unique index segment_run on segment (run, first);

-- Content by hash. A null body is a file of its own in the folder blobs.
create table blob (
	hash text primary key,
	size integer not null,
	body blob
) strict, without rowid;

-- A line per run: what lists show, and what wakes it.
create table run (
	id      text primary key,
	started integer not null, -- microseconds since 1970, as all times here
	state   text not null,
	active  integer not null, -- 1: something outside works for it, so it is taken up at start
	wake    integer,          -- when it wants to be told the time; null: never
	waiting integer not null, -- reviews that wait
	team    text not null,    -- digest; the team is a blob
	starter text not null,
	tenant  text not null,
	key     text,
	summary blob not null
) strict;
create index run_started on run (started);
create index run_wake on run (wake) where wake is not null and active = 0;
create index run_tenant on run (tenant) where tenant <> '';
create unique index run_key on run (key) where key is not null;

create table review (
	id       text primary key,
	run      text not null,
	deadline integer not null,
	open     integer not null,
	body     blob not null
) strict;
create index review_open on review (deadline) where open = 1;

create table meta (
	key   text primary key,
	value text not null
) strict;
