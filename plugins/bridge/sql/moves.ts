// Writes and reads a bridge's timeline, and sums what bridges carry that are not at their end.

import { z } from "zod";
import { bytesOf, type Hex } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Queryable, SqlValue } from "#core/db/Database.ts";
import type { BridgeEvent, BridgeStatus } from "#plugins/bridge/model.ts";

/**
 * Names the event of a line. `word`: the provider's status, or what was found, changed. `verify`: a
 * node of ours agrees.
 */
export type NotedEvent = BridgeEvent | "word" | "verify";

/** Says whose node showed the event; null: none, or nothing had to be shown. */
export type ProvenBy = "own_node" | "provider_node";

/** Holds the sum of unfinished bridges from one origin currency. */
export type UnfinishedSum = {
	chain: string;
	symbol: string;
	decimals: number;
	raw: bigint;
	count: number;
};

/** Holds one line of a bridge's timeline. */
export type Moved = {
	seq: number;
	at: Date;
	event: NotedEvent;
	from: BridgeStatus;
	to: BridgeStatus;
	detail: string | null;
	depositHash: Hex | null;
	outHash: Hex | null;
	/** Lists all transactions that paid; null: only `outHash`, if there is one. */
	outHashes: readonly Hex[] | null;
	outChainId: number | null;
	providerStatus: string | null;
	providerReason: string | null;
	provenBy: ProvenBy | null;
};

/** Holds what is known of a bridge, and stored with each line. */
type Known = {
	errorCode: string | null;
	depositHash: Hex | null;
	outHash: Hex | null;
	outHashes: readonly Hex[] | null;
	outChainId: number | null;
	isVerified: boolean | null;
	providerStatus: string | null;
	providerReason: string | null;
};
type Change = Partial<Known> & { detail?: string | null };
type Noted = { from: BridgeStatus; to: BridgeStatus; event: NotedEvent; at: Date; change: Change };

/** Reads the hashes of all transactions of what arrived. */
export const hashesColumn = z.array(anyCaseWordSchema).nullable();

/** The most lines of a bridge that are no moves: a provider may say something else each time. */
const NOTES_MAX = 100;
/** The most lines of one answer: far more than a bridge makes that ends. */
export const MOVES_LISTED_MAX = 500;

/** Returns the values that `noteSql` writes, from `$1` on. */
export function knownAt(
	bridge: Known & { id: string },
	{ from, to, event, at, change }: Noted,
): SqlValue[] {
	const after = { ...bridge, ...change };
	const { depositHash, outHash, outHashes, outChainId, providerStatus, providerReason } = after;
	const detail = change.detail ?? change.errorCode ?? null;
	return [
		...[bridge.id, from, to, event, detail, at],
		depositHash === null ? null : bytesOf(depositHash),
		outHash === null ? null : bytesOf(outHash),
		...[outChainId, providerStatus, providerReason, provenBy(event, after)],
		outHashes === null ? null : JSON.stringify(outHashes),
	];
}

/** Returns the statement that writes a line for the row of `of`, by the values of `knownAt`. */
export function noteSql(of: string): string {
	return `insert into bridge.move (bridge_id, from_status, to_status, event, detail, at,
			deposit_hash, out_hash, out_chain_id, provider_status, provider_reason, proven_by,
			out_hashes)
		select id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb from ${of}`;
}

/** Returns whether a change without a move says something that the timeline has not. */
export function isNews(bridge: Known, change: Change): boolean {
	const { providerStatus, errorCode, isVerified } = { ...bridge, ...change };
	return (
		(providerStatus !== bridge.providerStatus && providerStatus !== null) ||
		(errorCode !== bridge.errorCode && errorCode !== null) ||
		(isVerified === true && bridge.isVerified === false)
	);
}

/** Returns the part of a statement that is one row, `noted (id)`, while a bridge has few notes. */
export const fewNotesSql = `select $1::uuid as id
	where (select count(*) from bridge.move where bridge_id = $1 and from_status = to_status)
		< ${NOTES_MAX}`;

/** Reads a bridge's timeline, the oldest line first. By primary key. */
export async function listMoves(db: Queryable, bridgeId: string): Promise<Moved[]> {
	const hex = (name: string, as: string) => `'0x' || encode(${name}, 'hex') as "${as}"`;
	const rows = await db.query<Omit<Moved, "outHashes"> & { outHashes: unknown }>(
		`select seq, at, event, from_status as "from", to_status as "to", detail,
			${hex("deposit_hash", "depositHash")}, ${hex("out_hash", "outHash")},
			out_hashes as "outHashes", out_chain_id as "outChainId", provider_status as "providerStatus",
			provider_reason as "providerReason", proven_by as "provenBy"
		from bridge.move where bridge_id = $1 order by seq limit ${MOVES_LISTED_MAX}`,
		[bridgeId],
	);
	return rows.map((row) => ({ ...row, outHashes: hashesColumn.parse(row.outHashes) }));
}

function provenBy(event: NotedEvent, { isVerified }: Known): ProvenBy | null {
	// What was deposited is read by nodes of ours alone.
	if (event === "deposit" || event === "verify") return "own_node";
	if ((event !== "fill" && event !== "refund") || isVerified === null) return null;
	return isVerified ? "own_node" : "provider_node";
}

/**
 * Sums what a profile's bridges carry whose money has left its wallet, or may have, and is not at
 * its end. By `bridge_of_profile`.
 */
export async function sumUnfinished(db: Queryable, profileId: string): Promise<UnfinishedSum[]> {
	const rows = await db.query<Omit<UnfinishedSum, "raw"> & { raw: string }>(
		`select max(route->'origin'->>'chain') as chain, max(route->'origin'->>'symbol') as symbol,
			max((route->'origin'->>'decimals')::int4) as decimals, count(*)::int4 as count,
			sum((route->>'amountRaw')::numeric)::text as raw
		from bridge.bridge where profile_id = $1 and route is not null
			and (status in ('executing', 'pending', 'uncertain', 'timed_out')
				or (status = 'failure' and deposited_at is not null))
		group by route->'origin'->>'chainId', route->'origin'->>'currency'
		order by count(*) desc, max(route->'origin'->>'symbol')`,
		[profileId],
	);
	return rows.map((row) => ({ ...row, raw: BigInt(row.raw) }));
}
