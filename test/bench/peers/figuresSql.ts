/** Names of a peer's tables; null where it keeps no figures. All have the same columns. */
export type PeerTables = { event: string; collection: string | null; candle: string | null };

/**
 * Returns the statement that adds up what a peer has stored, in columns named as `ChainFigures`;
 * where a peer stores something twice (events and figures) the second has its name with `counted`.
 */
export function figuresSql({ event, collection, candle }: PeerTables): string {
	const sums = [
		`(select count(*) from ${event} where kind = 'mint') as mints`,
		`(select sum(quantity) from ${event} where kind = 'mint') as units`,
		`(select sum(wei) from (select distinct tx, wei from ${event} where kind = 'mint') as one) as paid`,
		`(select count(*) from ${event} where kind = 'sale') as sales`,
		`(select sum(wei) from ${event} where kind = 'sale') as volume`,
	];
	if (collection !== null) {
		sums.push(
			...["mints", "units", "paid", "sales", "volume"].map(
				(name) => `(select sum(${name}) from ${collection}) as counted_${name}`,
			),
			`(select count(*) from ${collection}) as collections`,
		);
	}
	if (candle !== null) {
		sums.push(
			`(select count(*) from ${candle}) as candles`,
			`(select sum(sales) from ${candle}) as counted_in_candles_sales`,
			`(select sum(volume) from ${candle}) as counted_in_candles_volume`,
			...["opened", "highest", "lowest", "closed"].map(
				(name) => `(select sum(${name}) from ${candle}) as ${name}`,
			),
		);
	}
	return `select ${sums.join(", ")}`;
}
