-- How many binary digits a day's sales have (0 for none), so that the busiest rows of some days are
-- found without reading the others. Of a row that counts one more sale it seldom changes: the index
-- is left alone then.
alter table market_index.rollup_day add column sales_class int2 not null generated always as (
	width_bucket(sales, '{1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536,131072,
		262144,524288,1048576,2097152,4194304,8388608,16777216,33554432,67108864,134217728,268435456,
		536870912,1073741824}'::int4[])
) stored;
--> statement-breakpoint
create index rollup_day_busy on market_index.rollup_day (chain_id, sales_class, bucket);
