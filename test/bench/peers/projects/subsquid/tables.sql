create schema bench;
create table bench.event (
	id text primary key, kind text not null, collection text not null, token numeric not null,
	quantity numeric not null, sender text not null, receiver text not null, wei numeric not null,
	block int not null, at int not null, tx text not null
);
create table bench.collection (
	id text primary key, mints int not null, units numeric not null, paid numeric not null,
	sales int not null, volume numeric not null
);
create table bench.candle (
	collection text not null, minute int not null, opened numeric not null, highest numeric not null,
	lowest numeric not null, closed numeric not null, volume numeric not null, sales int not null,
	primary key (collection, minute)
);
create table bench.progress (height int not null, hash text not null);
insert into bench.progress values (-1, '0x');
