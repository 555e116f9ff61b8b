// Declares and renders entries and sums of the treasury ledger, also as CSV.

import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { field } from "#core/http/openapi/schema.ts";
import { decimalString } from "#core/money.ts";
import { shownRevenue } from "#plugins/tokenomics/ledger/compareLedger.ts";
import { ENTRY_TYPES } from "#plugins/tokenomics/ledgerEvents.ts";
import { SHOWN_CURRENCIES as limit } from "#plugins/tokenomics/limits.ts";
import type { Contracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import type { Entry } from "#plugins/tokenomics/sql/entries.ts";
import type { KnownCurrency } from "#plugins/tokenomics/sql/followed.ts";
import { type OfContract, type Total, totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";

export const BUCKET_NAMES = ["holders", "league", "burn", "treasury"] as const;
export const bucketName = z.enum(BUCKET_NAMES);

const entryTypeSchema = z.enum(ENTRY_TYPES).meta({
	description:
		"`revenue_received`: money came in. `share_paid`: a bucket was paid. `buyback_burned`: the token " +
		"was bought and burned. `split_set`, `payee_set`: the router's owner changed it.",
});

export const entrySchema = z
	.object({
		chainId: field.integer("EIP-155 id of the chain.", 4_663),
		transactionHash: field.hashText("The transaction."),
		logIndex: field.integer("The event's place among all of its block.", 7),
		blockNumber: field.digits("The block; nothing takes it back any more.", "1204"),
		at: field.time("When the block was made."),
		contract: field.addressText("The contract that said it."),
		entryType: entryTypeSchema,
		source: field.text("Where revenue came from; null: of no source.", "trading").nullable(),
		bucket: bucketName.nullable().meta({ description: "Whose share it is." }),
		currency: field.addressText("What was paid with; zeros: the chain's coin.").nullable(),
		symbol: field.text("What it is called, by its own contract.", "ETH").nullable(),
		amount: field.decimal("How much of it, in whole units.", "0.25").nullable(),
		amountRaw: field.digits("The same in base units.", "250000000000000000").nullable(),
		burnedRaw: field.digits("How much of the token was burned, in base units.", "5").nullable(),
		party: field.addressText("Who paid, was paid, or bought.").nullable(),
		pool: field.addressText("The pool it was bought from.").nullable(),
		splitBps: z
			.array(z.number())
			.nullable()
			.meta({
				description: "The new split in basis points, bucket by bucket.",
				examples: [[3_500, 1_500, 2_000, 3_000]],
			}),
	})
	.meta({ id: "TreasuryEntry", description: "An entry of the treasury ledger." });

type EntryView = z.output<typeof entrySchema>;

const PRINTABLE = /^[\x20-\x7e]+$/;
const DEFAULT_SOURCE = /^0x0*$/;

const COLUMNS = Object.keys(entrySchema.shape).filter((name): name is keyof EntryView => {
	return name in entrySchema.shape;
});

/** A spreadsheet takes a cell that begins so for a formula, and runs it. */
const FORMULA = /^[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

/** A sum of the treasury ledger, as it is shown. */
export const totalSchema = z
	.object({
		currency: field.addressText("What it is counted in; zeros: the chain's coin."),
		symbol: field.text("What it is called, by its own contract.", "ETH").nullable(),
		entryType: z.enum(["revenue_received", "share_earned", "share_paid", "buyback_burned"]).meta({
			description: "What is added up. `share_earned` is what the split makes of revenue.",
		}),
		bucket: bucketName.nullable().meta({ description: "Whose share it is." }),
		entries: field.integer("How many entries that are.", 12),
		amount: field.decimal("All of them, in whole units.", "3.25").nullable(),
		amountRaw: field.digits("The same in base units.", "3250000000000000000"),
		burnedRaw: field.digits("What of the token was burned for it, in base units.", "5").nullable(),
	})
	.meta({ id: "TreasuryTotal", description: "A sum of the treasury ledger." });

const TOTAL_NAMES = new Map<Total["kind"], z.output<typeof totalSchema>["entryType"]>([
	["revenue", "revenue_received"],
	["earned", "share_earned"],
	["share_paid", "share_paid"],
	["buyback_burned", "buyback_burned"],
]);

/** Renders an entry; amounts in whole units where the currency says how many digits. */
export function renderEntry(entry: Entry, known: ReadonlyMap<string, KnownCurrency>): EntryView {
	const { chainId, transactionHash, logIndex, contract, entryType, currency, party, pool } = entry;
	const { symbol = null, decimals = null } = known.get(currency ?? "") ?? {};
	const { amount, bucket } = entry;
	return {
		...{ chainId, transactionHash, logIndex, contract, entryType, currency, symbol, party, pool },
		blockNumber: String(entry.block),
		at: entry.at.toISOString(),
		source: entry.source && sourceName(entry.source),
		bucket: bucket === null ? null : (BUCKET_NAMES[bucket] ?? null),
		amount: amount === null || decimals === null ? null : decimalString(BigInt(amount), decimals),
		amountRaw: amount,
		burnedRaw: entry.burned,
		splitBps: entry.bps && [...entry.bps],
	};
}

/**
 * Writes entries as CSV (RFC 4180) with a line of names. A source is text that anybody chose: no
 * cell is a formula. One that would be gets an apostrophe in front, which spreadsheets do not show.
 */
export function csvOf(rows: readonly EntryView[]): string {
	const lines = rows.map((row) => COLUMNS.map((name) => cellOf(row[name])).join());
	return `${[COLUMNS.join(), ...lines].join("\r\n")}\r\n`;
}

/** Reads the sums of the contracts in force on a chain, of the currencies that are shown. */
export async function readTotals(
	db: Queryable,
	contracts: Contracts,
	chainId: number,
): Promise<Total[]> {
	const found = await contracts.addressesOf(chainId);
	if (!found) return [];
	const { router, burner } = found;
	const [revenue, burns] = await Promise.all([
		router ? revenueOf(db, { chainId, contract: router }, contracts.currencies) : [],
		burner
			? totals.oldest(db, { chainId, contract: burner }, { kind: "buyback_burned", limit })
			: [],
	]);
	return [...revenue, ...burns];
}

/** Returns a sum as it is shown; in whole units where the currency says how many digits. */
export function renderTotal(
	{ kind, currency, bucket, entries: count, amount, burned }: Total,
	known: ReadonlyMap<string, KnownCurrency>,
): z.output<typeof totalSchema> {
	const { symbol = null, decimals = null } = known.get(currency) ?? {};
	return {
		...{ currency, symbol, entryType: TOTAL_NAMES.get(kind) ?? "revenue_received" },
		bucket: BUCKET_NAMES[bucket] ?? null,
		entries: count,
		amount: decimals === null ? null : decimalString(amount, decimals),
		amountRaw: String(amount),
		burnedRaw: kind === "buyback_burned" ? String(burned) : null,
	};
}

/** Returns the text in 32 bytes where it is that, `default` for none, else the bytes. */
function sourceName(source: Hex): string {
	if (DEFAULT_SOURCE.test(source)) return "default";
	const text = Buffer.from(source.slice(2), "hex").toString("latin1").replace(/\0+$/, "");
	return PRINTABLE.test(text) ? text : source;
}

function cellOf(value: EntryView[keyof EntryView]): string {
	if (value === null) return "";
	const text = Array.isArray(value) ? value.join(" ") : String(value);
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Reads what came in, was earned and was paid. */
async function revenueOf(
	db: Queryable,
	of: OfContract,
	named: readonly Address[],
): Promise<Total[]> {
	const revenue = await shownRevenue(db, of, { named, limit });
	const keys = (["earned", "share_paid"] as const).flatMap((kind) =>
		revenue.flatMap(({ currency }) =>
			BUCKET_NAMES.map((_, bucket) => totalKey(kind, { currency, bucket })),
		),
	);
	const sums = await totals.ofKeys(db, of, keys);
	const place = (sum: Total) =>
		keys.findIndex(
			({ kind, currency, bucket }) =>
				sum.kind === kind && sum.currency === currency && sum.bucket === bucket,
		);
	return [...revenue, ...sums.sort((one, other) => place(one) - place(other))];
}
