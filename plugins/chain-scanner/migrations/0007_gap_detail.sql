-- What was said of a block when it was set aside last, for whoever looks at why it is owed.
alter table chain_scanner.gap add column detail text;
