/**
 * `trending`: accepted sales in the window. `top`: volume of all time. `new`: registered last.
 * `minting`: mints in the last hour, others are left out. `market`: volume in the window, without
 * collections that have neither sold nor a floor.
 */
export type CollectionOrder = "trending" | "top" | "new" | "minting" | "market";

/**
 * Returns the columns of a collection's row that orders by a window's figures need, to be read with
 * those figures.
 */
export const orderingColumns = (row: string) =>
	`${row}.last_sale_at, ${row}.last_mint_at, ${row}.volume_class, ${row}.volume_native`;

const recency = (row: string) =>
	`${row}.last_sale_at desc nulls last, ${row}.last_mint_at desc nulls last, ${row}.id`;

const byVolume = (row: string) => `${row}.volume_class desc, ${row}.volume_native desc`;

const NEWEST = "c.registered_at desc, c.id desc";
const TOP = `${byVolume("c")}, c.sales desc, ${recency("c")}`;

/**
 * How each order sorts. `picked`: what `pickedCollections` picked, with the collection's row under
 * the given name, which may be `picked` itself where the order is by a window's figures. `rest`:
 * collections without trades in the window; each begins with the columns of an index
 * (`collection_last_sale`, `collection_volume`, `collection_newest`).
 */
export const COLLECTION_ORDER = {
	trending: {
		picked: (row) => `picked.sales desc, picked.volume desc, ${recency(row)}`,
		rest: `c.last_sale_hour desc nulls last, ${recency("c")}`,
	},
	top: { picked: () => TOP, rest: TOP },
	new: { picked: () => NEWEST, rest: NEWEST },
	minting: {
		picked: (row) => `picked.mints desc, ${row}.last_mint_at desc nulls last, ${row}.id`,
		rest: null,
	},
	market: {
		picked: (row) => `picked.volume desc, ${byVolume(row)}, ${recency(row)}`,
		rest: `${byVolume("c")}, ${recency("c")}`,
	},
} satisfies Record<
	CollectionOrder,
	{ picked: (row: "c" | "picked") => string; rest: string | null }
>;
