-- How the stream stands in the one process that listens to it, for all the others to say.
create table provider.stream_status (
	one boolean primary key default true check (one),
	state text not null,
	told_at timestamptz not null
) with (fillfactor = 50);
