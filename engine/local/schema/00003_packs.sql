-- +goose Up
-- Content is kept a commit at a time: a row per piece costs more than the piece. A pack holds
-- pieces one after the other.
create table pack (
	id     integer primary key,
	packed integer not null default 0, -- 1: S2 block; 0: as it is
	body   blob not null
) strict;

-- Where content is, by hash. A null pack is a file of its own in the folder blobs.
create table content (
	hash blob primary key, -- 32 bytes
	size integer not null, -- as it is stored
	pack integer,
	at   integer not null default 0, -- first byte within the pack
	recipe integer not null default 0 -- 1: what is stored tells how the content is put together from other content
) strict, without rowid;

insert into pack (id, body) select row_number() over (order by hash), body from blob where body is not null;
insert into content (hash, size, pack)
	select unhex(substr(hash, 8)), size, row_number() over (order by hash) from blob where body is not null;
insert into content (hash, size) select unhex(substr(hash, 8)), size from blob where body is null;
drop table blob;

alter table segment add column packed integer not null default 0; -- 1: the body is an S2 block of the lines
