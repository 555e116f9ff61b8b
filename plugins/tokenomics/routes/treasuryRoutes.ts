import { Elysia } from "elysia";
import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import { field } from "#core/http/openapi/schema.ts";
import {
	CURSOR_PART,
	createCursor,
	cursorParam,
	limitParam,
	pageSchema,
} from "#core/http/pages.ts";
import { canCarry, canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { tokenomicsFault } from "#plugins/tokenomics/faults.ts";
import { followedNow } from "#plugins/tokenomics/ledger/followContracts.ts";
import { ENTRY_TYPES } from "#plugins/tokenomics/ledgerEvents.ts";
import { address, EXPORT_ROWS_MAX, SHOWN_CURRENCIES } from "#plugins/tokenomics/limits.ts";
import type { Contracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { type Entry, type EntryFilter, entries } from "#plugins/tokenomics/sql/entries.ts";
import { currencies, type KnownCurrency } from "#plugins/tokenomics/sql/followed.ts";
import {
	csvOf,
	entrySchema,
	readTotals,
	renderEntry,
	renderTotal,
	totalSchema,
} from "#plugins/tokenomics/treasury.ts";

const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;
const cursor = createCursor("treasury1", [CURSOR_PART.count, CURSOR_PART.count]);

const filters = {
	chainId: z
		.string()
		.regex(/^[1-9][0-9]{0,15}$/, "must be the id of a chain")
		.transform(Number)
		.pipe(z.int())
		.optional()
		.meta({
			...{ type: "integer", examples: [4_663] },
			description: "EIP-155 id of the chain; the home chain unless given.",
		}),
	entryType: z.enum(ENTRY_TYPES).optional().meta({ description: "Only entries of this type." }),
	currency: address.optional().meta({
		...{ pattern: ANY_CASE_ADDRESS_PATTERN, examples: [`0x${"0".repeat(40)}`] },
		description: "Only entries in this currency; zeros: the chain's coin.",
	}),
	cursor: cursorParam(),
};
const querySchema = z.object({
	...filters,
	limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
});

const listSchema = z
	.object({
		data: z.array(entrySchema).meta({ description: "Entries, the newest first." }),
		page: pageSchema,
		rebuildsSince: field
			.time(
				"Since when blocks that were read are not on the chain, or no node shows them: entries and " +
					"sums may be of blocks that are gone until all is read again. Null: all holds.",
			)
			.nullable(),
		totals: z.array(totalSchema).meta({
			description:
				`Sums of all entries of the contracts in force, whatever page and filter; of ` +
				`${SHOWN_CURRENCIES} currencies: the coin and those of buybacks, then those that came first.`,
		}),
	})
	.meta({ id: "TreasuryLedger", description: "A page of the treasury ledger." });

const csvSchema = z.string().meta({
	description: "Entries as CSV (RFC 4180), with a line of names.",
	examples: ["chainId,transactionHash,logIndex\r\n4663,0x5d,7\r\n"],
});

type TreasuryRoutesOptions = {
	core: Pick<Core, "db" | "operators">;
	contracts: Contracts;
};

type Db = TreasuryRoutesOptions["core"]["db"];
type Asked = {
	chainId: number;
	entryType?: EntryFilter["entryType"] | undefined;
	currency?: Address | undefined;
	cursor?: string | undefined;
	limit: number;
};

/** Serves the treasury ledger to operators: page by page, added up, and as a file. */
export function treasuryRoutes({ core, contracts }: TreasuryRoutesOptions) {
	const { db, operators } = core;
	const about = { tags: ["admin"], security: [{ admin: [] as string[] }] };
	const chainOf = (asked: number | undefined) => {
		const chainId = asked ?? contracts.homeChain?.id;
		if (chainId === undefined) throw tokenomicsFault.chainNotReached();
		return chainId;
	};
	return (
		new Elysia({ prefix: "/v1/admin/treasury" })
			// Before anything is validated: a stranger learns nothing but that a key is wanted.
			.derive(({ request }) => ({ operator: operators.authenticate(request) }))
			.get(
				"",
				async ({ query, set }) => {
					set.headers["cache-control"] = "no-store";
					const page = await pageOf(db, { ...query, chainId: chainOf(query.chainId) });
					const { shown, nextCursor } = page;
					const sums = await readTotals(db, contracts, chainOf(query.chainId));
					const known = await knownOf(db, chainOf(query.chainId), [...shown, ...sums]);
					return {
						data: shown.map((entry) => renderEntry(entry, known)),
						page: { nextCursor, hasMore: nextCursor !== null },
						rebuildsSince: await rebuildsSince(db, contracts, chainOf(query.chainId)),
						totals: sums.map((sum) => renderTotal(sum, known)),
					};
				},
				{
					...{ query: querySchema, response: { 200: listSchema } },
					detail: {
						...{ ...about, operationId: "listTreasury" },
						summary: "Lists the treasury ledger with its sums",
						description:
							"What router and burner said in blocks that nothing takes back any more: each event is one " +
							"entry. `buyback_burned` records a burn.",
						...canFail(tokenomicsFault.chainNotReached),
					},
				},
			)
			.get(
				"/export",
				async ({ query }) => {
					const chainId = chainOf(query.chainId);
					const asked = { ...query, chainId, limit: EXPORT_ROWS_MAX };
					const { shown, nextCursor } = await pageOf(db, asked);
					const known = await knownOf(db, chainId, shown);
					const body = csvOf(shown.map((entry) => renderEntry(entry, known)));
					return new Response(body, {
						headers: {
							...{ "cache-control": "no-store", "content-type": "text/csv; charset=utf-8" },
							"content-disposition": 'attachment; filename="treasury.csv"',
							...(nextCursor !== null && { "x-next-cursor": nextCursor }),
						},
					});
				},
				{
					...{ query: z.object(filters), response: { 200: csvSchema } },
					detail: {
						...{ ...about, operationId: "getTreasuryExport" },
						summary: "Exports the treasury ledger as CSV",
						description:
							`The newest ${EXPORT_ROWS_MAX} entries; \`x-next-cursor\` is the cursor of those behind ` +
							"them. No cell is a formula: one that begins like one has an apostrophe in front.",
						...canFail(tokenomicsFault.chainNotReached),
						...canCarry({
							"x-next-cursor": {
								description: "The cursor of the entries behind these; left out behind the last.",
								schema: { type: "string", examples: ["dHJlYXN1cnkx"] },
							},
						}),
					},
				},
			)
	);
}

async function pageOf(
	db: Db,
	asked: Asked,
): Promise<{ shown: Entry[]; nextCursor: string | null }> {
	const { chainId, entryType = null, currency = null, limit } = asked;
	const cursors = cursor.of({ chainId, entryType, currency });
	const place = asked.cursor === undefined ? null : cursors.decode(asked.cursor).map(Number);
	const before = place && { block: place[0] ?? 0, logIndex: place[1] ?? 0 };
	const filter = { chainId, entryType, currency, before, limit: limit + 1 };
	const found = await entries.page(db, filter);
	const shown = found.slice(0, limit);
	const last = shown.at(-1);
	if (!last || found.length <= limit) return { shown, nextCursor: null };
	return { shown, nextCursor: cursors.encode([String(last.block), String(last.logIndex)]) };
}

async function rebuildsSince(
	db: Db,
	contracts: Contracts,
	chainId: number,
): Promise<string | null> {
	const found = await contracts.addressesOf(chainId);
	const rows = found ? await followedNow(db, found) : [];
	const times = rows.flatMap((row) => row.rebuildsSince?.getTime() ?? []);
	return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

async function knownOf(
	db: Db,
	chainId: number,
	rows: readonly { currency: Address | null }[],
): Promise<Map<string, KnownCurrency>> {
	const wanted = new Set(rows.flatMap(({ currency }) => (currency === null ? [] : [currency])));
	const known = await currencies.among(db, chainId, [...wanted]);
	return new Map(known.map((one) => [one.address, one]));
}
