-- +goose Up
-- From here on a segment's id is the leaf index of its first record in the tree over all records,
-- so a gap between segments shows. Segments keep their order.
create table renumber (
	id   integer primary key,
	leaf integer not null
) strict;
insert into renumber select id, sum(last - first + 1) over (order by id) - (last - first + 1) from segment;
update segment set id = -1 - (select leaf from renumber where renumber.id = segment.id);
update segment set id = -1 - id;
drop table renumber;

-- The tree's hashes, 32 bytes each, in tiles of 256 (C2SP tlog-tiles): a hash of level 0 is a
-- leaf's, one of level n stands for a full tile of level n - 1. A tile is written in parts, which
-- are added with the records and never change; tile number N holds the parts from 256 * N on.
create table tile (
	level  integer not null,
	at     integer not null, -- index of the first hash within the level
	hashes blob not null,
	primary key (level, at)
) strict; -- with rowids: the parts are large, and stand one after the other
