import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { field } from "#core/http/openapi/field.ts";
import { decimalString } from "#core/money/decimalString.ts";
import { ENTRY_TYPES } from "#plugins/tokenomics/events/ledgerEvents.ts";
import type { KnownCurrency } from "#plugins/tokenomics/sql/currencies.ts";
import type { Entry } from "#plugins/tokenomics/sql/entries.ts";

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

export type EntryView = z.output<typeof entrySchema>;

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

const PRINTABLE = /^[\x20-\x7e]+$/;
const DEFAULT_SOURCE = /^0x0*$/;

/** Returns the text in 32 bytes where it is that, `default` for none, else the bytes. */
function sourceName(source: Hex): string {
	if (DEFAULT_SOURCE.test(source)) return "default";
	const text = Buffer.from(source.slice(2), "hex").toString("latin1").replace(/\0+$/, "");
	return PRINTABLE.test(text) ? text : source;
}
