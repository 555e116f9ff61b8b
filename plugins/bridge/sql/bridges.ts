// Reads and writes bridges and their moves.

import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import {
	type BridgeEvent,
	type BridgeRoute,
	type BridgeStatus,
	bridgeRoute,
	nextBridgeStatus,
	routeJson,
} from "#plugins/bridge/model.ts";
import { type Accepted, acceptedSchema } from "#plugins/bridge/sql/arrivals.ts";
import { fewNotesSql, hashesColumn, isNews, knownAt, noteSql } from "#plugins/bridge/sql/moves.ts";
import type { Channel } from "#plugins/wallets/contract.ts";

/** Holds the request as text: chains and currencies by the names that a person typed. */
export type BridgeRequest = {
	amount: string;
	currency: string;
	from: string | null;
	to: string | null;
	as: string | null;
	recipient: string | null;
	refundTo: string | null;
	mode: "normal" | "degen_2_stable" | "direct";
};

export type Bridge = {
	id: string;
	profileId: string;
	walletId: string | null;
	channel: Channel;
	asks: boolean;
	request: BridgeRequest;
	route: BridgeRoute | null;
	status: BridgeStatus;
	errorCode: string | null;
	detail: string | null;
	quoteSeq: number | null;
	intentId: string | null;
	depositHash: Hex | null;
	depositedAt: Date | null;
	providerStatus: string | null;
	providerReason: string | null;
	failedAt: Date | null;
	claimedAt: Date | null;
	hintedAt: Date | null;
	missingAt: Date | null;
	acceptedAt: Date | null;
	accepted: Accepted | null;
	stoppedAt: Date | null;
	/** The newest block of the other chain that was searched for a direct bridge's message. */
	searchedBlock: number | null;
	/** The bridge whose order this one's deposit was made for once more. */
	depositOf: string | null;
	/** The last transaction of what arrived, and all of them. */
	outHash: Hex | null;
	outHashes: readonly Hex[] | null;
	outChainId: number | null;
	outCurrency: Address | null;
	arrivedRaw: bigint | null;
	isVerified: boolean | null;
	heldAt: Date | null;
	createdAt: Date;
	changedAt: Date;
	lookAt: Date | null;
	looks: number;
	/** The number of lookups in a row without an answer. */
	unanswered: number;
};

export type BridgeRow = Omit<Bridge, "route" | "arrivedRaw" | "accepted" | "outHashes"> & {
	route: unknown;
	arrivedRaw: string | null;
	accepted: unknown;
	outHashes: unknown;
};

const hexColumn = (name: string, as: string) => `'0x' || encode(${name}, 'hex') as "${as}"`;
export const COLUMNS = `
	id, profile_id as "profileId", wallet_id as "walletId", channel, asks, request,
	route, status, error_code as "errorCode", detail, quote_seq as "quoteSeq",
	intent_id as "intentId", ${hexColumn("deposit_hash", "depositHash")},
	deposited_at as "depositedAt",
	provider_status as "providerStatus", provider_reason as "providerReason",
	failed_at as "failedAt", claimed_at as "claimedAt", hinted_at as "hintedAt",
	missing_at as "missingAt", accepted_at as "acceptedAt", accepted, stopped_at as "stoppedAt",
	searched_block as "searchedBlock", deposit_of as "depositOf",
	${hexColumn("out_hash", "outHash")}, out_hashes as "outHashes", out_chain_id as "outChainId",
	${hexColumn("out_currency", "outCurrency")}, arrived_raw as "arrivedRaw",
	is_verified as "isVerified", held_at as "heldAt", created_at as "createdAt",
	changed_at as "changedAt", look_at as "lookAt",
	looks, unanswered`;

type NewBridge = Pick<
	Bridge,
	"id" | "profileId" | "walletId" | "channel" | "asks" | "request" | "createdAt" | "lookAt"
>;

/** Selects open bridges. Those whose arrival is still looked up, and cancelled ones, have ended. */
const OPEN = "look_at is not null and status not in ('success', 'refund', 'rejected', 'disabled')";

/** Statuses of what was not deposited, as far as anybody knows, and may have been. */
const GIVEN_UP_BEFORE: readonly BridgeStatus[] = ["failure", "uncertain"];
/** Selects bridges without an end that are not looked up any more, except dry runs. */
const GIVEN_UP = `b.look_at is null and (
	(b.status not in ('success', 'refund') and (b.deposited_at is not null
		or b.status in ('failure', 'uncertain')))
	or (b.status in ('success', 'refund') and b.is_verified is not true
		and (b.is_verified is false or b.accepted is null)))`;

/** Members to write, with or without a move; those left out stay as they are. */
export type BridgeChange = Partial<
	Pick<
		Bridge,
		| "route"
		| "errorCode"
		| "detail"
		| "quoteSeq"
		| "intentId"
		| "depositHash"
		| "depositedAt"
		| "providerStatus"
		| "providerReason"
		| "failedAt"
		| "claimedAt"
		| "hintedAt"
		| "missingAt"
		| "acceptedAt"
		| "accepted"
		| "stoppedAt"
		| "searchedBlock"
		| "outHash"
		| "outHashes"
		| "outChainId"
		| "outCurrency"
		| "arrivedRaw"
		| "isVerified"
		| "heldAt"
		| "lookAt"
		| "looks"
		| "unanswered"
	>
>;

const BYTES: readonly (keyof BridgeChange)[] = ["depositHash", "outHash", "outCurrency"];

export type BridgeMove = { event: BridgeEvent; at: Date; change?: BridgeChange };

const WRITTEN: Readonly<Record<keyof BridgeChange, string>> = {
	route: "route",
	errorCode: "error_code",
	detail: "detail",
	quoteSeq: "quote_seq",
	intentId: "intent_id",
	depositHash: "deposit_hash",
	depositedAt: "deposited_at",
	providerStatus: "provider_status",
	providerReason: "provider_reason",
	failedAt: "failed_at",
	claimedAt: "claimed_at",
	hintedAt: "hinted_at",
	missingAt: "missing_at",
	acceptedAt: "accepted_at",
	accepted: "accepted",
	stoppedAt: "stopped_at",
	searchedBlock: "searched_block",
	outHash: "out_hash",
	outHashes: "out_hashes",
	outChainId: "out_chain_id",
	outCurrency: "out_currency",
	arrivedRaw: "arrived_raw",
	isVerified: "is_verified",
	heldAt: "held_at",
	lookAt: "look_at",
	looks: "looks",
	unanswered: "unanswered",
};

/**
 * Stores a bridge as it was asked for, and returns it. Null where its profile has as many open ones
 * as it may. Counted under a lock of the profile, as a count says nothing of what others are just
 * inserting; both statements travel together.
 */
export async function insertBridge(
	tx: Tx,
	{ openMax, ...bridge }: NewBridge & { openMax: number },
): Promise<Bridge | null> {
	const { id, profileId, walletId, channel, asks, request, createdAt, lookAt } = bridge;
	const lock = "select pg_advisory_xact_lock(hashtextextended('bridge.profile:' || $1, 0))";
	const locked = tx.query(lock, [profileId]);
	const inserted = tx.query<BridgeRow>(
		`insert into bridge.bridge (id, profile_id, wallet_id, channel, asks, request, status,
			created_at, changed_at, look_at)
		select $1::uuid, $2::uuid, $3::uuid, $4::text, $5::boolean, $6::jsonb, 'created',
			$7::timestamptz, $7::timestamptz, $8::timestamptz
		where (select count(*) from bridge.bridge where profile_id = $2::uuid and ${OPEN}) < $9::int8
		returning ${COLUMNS}`,
		[id, profileId, walletId, channel, asks, JSON.stringify(request), createdAt, lookAt, openMax],
	);
	const [, [row]] = await Promise.all([locked, inserted]);
	return row ? bridgeOf(row) : null;
}

export async function readBridge(db: Queryable, id: string): Promise<Bridge | null> {
	const sql = `select ${COLUMNS} from bridge.bridge where id = $1`;
	const [row] = await db.query<BridgeRow>(sql, [id]);
	return row ? bridgeOf(row) : null;
}

/** Reads and locks a bridge: no other process moves it before the transaction ends. */
export async function lockBridge(tx: Tx, id: string): Promise<Bridge | null> {
	const sql = `select ${COLUMNS} from bridge.bridge where id = $1 for no key update`;
	const [row] = await tx.query<BridgeRow>(sql, [id]);
	return row ? bridgeOf(row) : null;
}

/** Lists a profile's bridges, newest first: ids grow with time. By `bridge_of_profile`. */
export async function listBridges(
	db: Queryable,
	query: { profileId: string; afterId: string | null; limit: number },
): Promise<Bridge[]> {
	return selectBridges(
		db,
		"where profile_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3",
		[query.profileId, query.afterId, query.limit],
	);
}

/** Reads the bridges that a condition, an order and a limit select. */
async function selectBridges(
	db: Queryable,
	clauses: string,
	values: readonly SqlValue[],
): Promise<Bridge[]> {
	const sql = `select ${COLUMNS} from bridge.bridge ${clauses}`;
	return (await db.query<BridgeRow>(sql, values)).map(bridgeOf);
}

/** Lists a profile's unfinished bridges, and then the newest. By `bridge_of_profile`. */
export async function listUnfinishedFirst(
	db: Queryable,
	{ profileId, limit }: { profileId: string; limit: number },
): Promise<Bridge[]> {
	const rows = await db.query<BridgeRow>(
		`select ${COLUMNS} from bridge.bridge as b where profile_id = $1
		order by ((${OPEN}) or (${GIVEN_UP} and b.stopped_at is not null)) desc, id desc limit $2`,
		[profileId, limit],
	);
	return rows.map(bridgeOf);
}

/** Lists the newest bridges of all profiles that are not at their end, also those given up. */
export async function listOpenBridges(db: Queryable, limit: number): Promise<Bridge[]> {
	const sql = `select ${COLUMNS} from bridge.bridge as b
		where (${OPEN}) or (${GIVEN_UP} and b.stopped_at is not null)
			or (b.deposited_at is not null and b.status not in ('success', 'refund', 'failure'))
		order by id desc limit $1`;
	return (await db.query<BridgeRow>(sql, [limit])).map(bridgeOf);
}

/**
 * Reads the bridges that are due for a lookup, those that are due longest first. Uses the indexes
 * `bridge_before` and `bridge_after`.
 */
export async function readDueBridges(
	db: Queryable,
	{ at, limit, isDeposited }: { at: Date; limit: number; isDeposited: boolean },
): Promise<Bridge[]> {
	const stage = isDeposited ? "deposited_at is not null" : "deposited_at is null";
	const due = `where look_at <= $1 and ${stage} order by look_at, id limit $2`;
	return selectBridges(db, due, [at, limit]);
}

/** Writes some members of a bridge, without a move. */
export async function changeBridge(db: Queryable, id: string, change: BridgeChange): Promise<void> {
	const { sets, values } = written(change, [id]);
	if (sets.length === 0) return;
	await db.execute(`update bridge.bridge set ${sets.join(", ")} where id = $1`, values);
}

/**
 * Moves a bridge by the table of moves, and records the move, in one statement: each more is a
 * round trip that delays a webhook. The caller holds the lock of its row. Null where the table has
 * no such move: then nothing is written.
 */
export async function moveBridge(
	tx: Tx,
	bridge: Bridge,
	{ event, at, change = {} }: BridgeMove,
): Promise<BridgeStatus | null> {
	const to = nextBridgeStatus(bridge.status, event);
	if (to === null) return null;
	if (to === bridge.status) {
		await changeNoted(tx, bridge, { at, change });
		return to;
	}
	const known = knownAt(bridge, { from: bridge.status, to, event, at, change });
	const { sets, values } = written(change, known);
	await tx.execute(
		`with moved as (
			update bridge.bridge set ${["status = $3", "changed_at = $6", ...sets].join(", ")}
			where id = $1 returning id
		)
		${noteSql("moved")}`,
		values,
	);
	return to;
}

/**
 * Writes some members of a bridge that is held, without a move, and a line of its timeline where
 * they say something new.
 */
export async function changeNoted(
	tx: Tx,
	bridge: Bridge,
	{ at, change }: { at: Date; change: BridgeChange },
): Promise<void> {
	await changeBridge(tx, bridge.id, change);
	if (!isNews(bridge, change)) return;
	const event = change.isVerified === true && bridge.isVerified === false ? "verify" : "word";
	const { status } = bridge;
	const values = knownAt(bridge, { from: status, to: status, event, at, change });
	await tx.execute(`with noted as (${fewNotesSql}) ${noteSql("noted")}`, values);
}

/**
 * Makes the bridge of a request due in the next turn, with those of further deposits for its order,
 * and returns the first one's id. Null where that changes nothing: one that is due keeps its place,
 * and one that has ended is left alone. One that was given up has not ended.
 */
export async function wakeBridge(
	db: Queryable,
	{ requestId, at }: { requestId: Hex; at: Date },
): Promise<string | null> {
	const [woken] = await db.query<{ id: string }>(
		`with asked as (select bridge_id as id from bridge.quote where request_id = $1)
		update bridge.bridge as b set look_at = $2
		where b.id in (
				select id from asked
				union all select s.id from bridge.bridge as s join asked on s.deposit_of = asked.id
			) and (b.look_at > $2 or ${GIVEN_UP})
		returning b.id`,
		[bytesOf(requestId), at],
	);
	return woken?.id ?? null;
}

/** Returns true if our own node confirmed the end, or an operator did where no node can. */
export function isProven({ isVerified, accepted }: Bridge): boolean {
	return isVerified === true || (isVerified === null && accepted !== null);
}

/** Returns whether an operator may have a bridge looked at: it is not at its end. */
export function isWakeable(bridge: Bridge): boolean {
	const { status, lookAt, depositedAt } = bridge;
	if (status === "success" || status === "refund") return !isProven(bridge);
	if (status === "rejected" || status === "disabled") return false;
	return depositedAt !== null || lookAt !== null || GIVEN_UP_BEFORE.includes(status);
}

/** Returns all transactions of what arrived, the last one last. */
export function arrivalsOf({ outHashes, outHash }: Pick<Bridge, "outHash" | "outHashes">): Hex[] {
	return [...(outHashes ?? (outHash === null ? [] : [outHash]))];
}

export function bridgeOf(row: BridgeRow): Bridge {
	const route = row.route === null ? null : bridgeRoute.parse(row.route);
	const accepted = acceptedSchema.nullable().parse(row.accepted);
	const outHashes = hashesColumn.parse(row.outHashes);
	const arrivedRaw = row.arrivedRaw === null ? null : BigInt(row.arrivedRaw);
	return { ...row, route, arrivedRaw, accepted, outHashes };
}

/** Returns the columns of a change, and its values after those given. */
function written(change: BridgeChange, before: readonly SqlValue[]) {
	const sets: string[] = [];
	const values: SqlValue[] = [...before];
	for (const [key, column] of Object.entries(WRITTEN) as [keyof BridgeChange, string][]) {
		const value = change[key];
		if (value === undefined) continue;
		values.push(columnValue(key, value));
		sets.push(`${column} = $${values.length}`);
	}
	return { sets, values };
}

function columnValue(key: keyof BridgeChange, value: NonNullable<BridgeChange[typeof key]> | null) {
	if (value === null) return null;
	if (key === "route") return JSON.stringify(routeJson(value as BridgeRoute));
	if (key === "outHashes") return JSON.stringify(value);
	if (key === "accepted") {
		const { raw, ...accepted } = value as Accepted;
		return JSON.stringify({ ...accepted, raw: String(raw) });
	}
	if (BYTES.includes(key)) return bytesOf(value as Hex);
	return value as SqlValue;
}
