import { onchainTable } from "ponder";

export const event = onchainTable("event", (t) => ({
	id: t.text().primaryKey(),
	kind: t.text().notNull(),
	collection: t.hex().notNull(),
	token: t.bigint().notNull(),
	quantity: t.bigint().notNull(),
	sender: t.hex().notNull(),
	receiver: t.hex().notNull(),
	wei: t.bigint().notNull(),
	block: t.integer().notNull(),
	at: t.integer().notNull(),
	tx: t.hex().notNull(),
}));

export const collection = onchainTable("collection", (t) => ({
	id: t.hex().primaryKey(),
	mints: t.integer().notNull(),
	units: t.bigint().notNull(),
	paid: t.bigint().notNull(),
	sales: t.integer().notNull(),
	volume: t.bigint().notNull(),
	latest: t.hex().notNull(),
}));

export const candle = onchainTable("candle", (t) => ({
	id: t.text().primaryKey(),
	collection: t.hex().notNull(),
	minute: t.integer().notNull(),
	opened: t.bigint().notNull(),
	highest: t.bigint().notNull(),
	lowest: t.bigint().notNull(),
	closed: t.bigint().notNull(),
	volume: t.bigint().notNull(),
	sales: t.integer().notNull(),
}));
