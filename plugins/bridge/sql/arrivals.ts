// Reads and writes which payments on chain belong to which bridge.

import { z } from "zod";
import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { wireUint } from "#plugins/bridge/relay/order.ts";

/** In place of a log's index: the transaction's own coin, or a part of what the coin grew by. */
export const OWN_COIN = -1;
export const GROWN_COIN = -2;

/** Holds one payment of a transaction to one address, which may belong to a bridge. */
export type Payment = {
	chainId: number;
	hash: Hex;
	logIndex: number;
	block: bigint;
	party: Address;
	currency: Address;
	/**
	 * The amount; of `GROWN_COIN` at most what the block leaves: no log shows what an inner call
	 * paid.
	 */
	raw: bigint;
	/** Why it may be another transaction's: then it ends nothing without an operator's word. */
	doubt?: string;
};

/** Holds which payments may end a bridge: one currency, one recipient, and the least amount. */
export type Group = {
	chainId: number;
	currency: Address;
	party: Address;
	/** The least amount; null: its worth is unknown, so no sum is enough. */
	minimumRaw: bigint | null;
	expectedRaw: bigint;
	payments: readonly Payment[];
};

export const acceptedSchema = z.object({
	end: z.enum(["fill", "refund"]),
	chainId: z.int(),
	currency: anyCaseAddressSchema,
	raw: wireUint,
	/** Not of those from before growth could be in doubt: those accept no doubt. */
	hash: anyCaseWordSchema.optional(),
});
/** Holds the arrival that an operator accepted as a bridge's end, as it was shown to them. */
export type Accepted = z.output<typeof acceptedSchema>;

/** Payments that belong to one bridge now; `isEnough`: they end it. */
export type Claimed = {
	isEnough: boolean;
	/** Why its last payment may be another transaction's; null: all of them are proven. */
	doubt: string | null;
	group: Group;
	payments: readonly Payment[];
	raw: bigint;
};

type Row = { hash: Hex; logIndex: number; block: number };
type Claiming = {
	bridgeId: string;
	groups: readonly Group[];
	/** Holds the payment in doubt that an operator accepted as enough; null: none was accepted. */
	accepted: Accepted | null;
	at: Date;
};

/**
 * Gives a bridge the payments that end it, where enough of them are no other bridge's; each is
 * written in the caller's transaction. Else nothing is written, and the most that there is for it
 * is returned; null: there is nothing. What is in doubt is shown, and is enough only where an
 * operator accepted it. Who claims of the same block waits until the transaction ends.
 */
export async function claimArrivals(tx: Tx, claiming: Claiming): Promise<Claimed | null> {
	const { bridgeId, groups, accepted, at } = claiming;
	await lockBlocks(
		tx,
		groups.flatMap(({ payments }) => payments),
	);
	let most: Claimed | null = null;
	for (const group of groups) {
		const free = await freeOf(tx, { bridgeId, payments: group.payments });
		const minimumRaw = leastOf(group, accepted);
		const proven = free.filter(({ doubt }) => doubt === undefined);
		const chosen = chosenOf(proven, { ...group, minimumRaw });
		const isProven = minimumRaw !== null && sumOf(chosen) > 0n && sumOf(chosen) >= minimumRaw;
		const doubted = isProven ? null : doubtedOf(free, { group, accepted });
		const payments = doubted ? [...chosen, doubted] : chosen;
		const raw = sumOf(payments);
		const isAccepted = doubted !== null && doubted.hash === accepted?.hash;
		const isEnough = isProven || (isAccepted && minimumRaw !== null && raw >= minimumRaw);
		const doubt = doubted?.doubt ?? null;
		if (raw > 0n && (isEnough || !most)) most = { isEnough, doubt, group, payments, raw };
		if (isEnough) break;
	}
	if (most?.isEnough) await insertArrivals(tx, { bridgeId, payments: most.payments, at });
	return most;
}

function sumOf(payments: readonly Payment[]): bigint {
	return payments.reduce((sum, { raw }) => sum + raw, 0n);
}

/**
 * Returns the payment in doubt that an operator accepted, else the largest; null: there is none. It
 * is no more than was expected, as the rest may be for somebody else's order.
 */
function doubtedOf(
	free: readonly Payment[],
	{ group, accepted }: { group: Group; accepted: Claiming["accepted"] },
): Payment | null {
	const all = free.filter(({ doubt }) => doubt !== undefined);
	const [largest] = all.sort((one, other) => (one.raw > other.raw ? -1 : 1));
	const found = all.find(({ hash }) => hash === accepted?.hash) ?? largest;
	if (!found) return null;
	return { ...found, raw: found.raw > group.expectedRaw ? group.expectedRaw : found.raw };
}

function leastOf(
	{ chainId, currency, minimumRaw }: Group,
	accepted: Claiming["accepted"],
): bigint | null {
	if (accepted?.chainId !== chainId || accepted.currency !== currency) return minimumRaw;
	return minimumRaw === null || accepted.raw < minimumRaw ? accepted.raw : minimumRaw;
}

/** Deletes a bridge's claims on payments once its end is withdrawn. By `arrival_of_bridge`. */
export async function releaseArrivals(tx: Tx, bridgeId: string): Promise<void> {
	await tx.execute("delete from bridge.arrival where bridge_id = $1", [bridgeId]);
}

/** Reads in which blocks a bridge's payments were when they ended it. By `arrival_of_bridge`. */
export async function arrivalBlocks(db: Queryable, bridgeId: string): Promise<Map<Hex, number>> {
	const rows = await db.query<{ hash: Hex; block: number }>(
		`select '0x' || encode(transaction_hash, 'hex') as hash, block_number as block
		from bridge.arrival where bridge_id = $1`,
		[bridgeId],
	);
	return new Map(rows.map(({ hash, block }) => [hash, block]));
}

async function lockBlocks(tx: Tx, payments: readonly Payment[]): Promise<void> {
	const keys = [...new Set(payments.map(({ chainId, block }) => `arrival ${chainId} ${block}`))];
	for (const key of keys.sort()) {
		await tx.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [key]);
	}
}

/** Returns what of payments is no other bridge's. By primary key, and by `bridge_arrival`. */
async function freeOf(
	tx: Tx,
	{ bridgeId, payments }: { bridgeId: string; payments: readonly Payment[] },
): Promise<Payment[]> {
	const hashes = [...new Set(payments.map(({ hash }) => hash))].map(bytesOf);
	if (hashes.length === 0) return [];
	const rows = await tx.query<Row>(
		`select '0x' || encode(transaction_hash, 'hex') as hash, log_index as "logIndex",
			block_number as block
		from bridge.arrival where chain_id = $1 and transaction_hash = any($2) and bridge_id <> $3`,
		[payments[0]?.chainId ?? 0, hashes, bridgeId],
	);
	// Ends that were found before payments were kept name their transaction only.
	const whole = await tx.query<{ hash: Hex }>(
		`select '0x' || encode(out_hash, 'hex') as hash from bridge.bridge as b
		where out_hash = any($1) and id <> $2 and status in ('success', 'refund')
			and not exists (select from bridge.arrival as a where a.bridge_id = b.id)`,
		[hashes, bridgeId],
	);
	const taken = new Set(rows.map(({ hash, logIndex }) => `${hash} ${logIndex}`));
	const old = new Set(whole.map(({ hash }) => hash));
	// Mined anew in another block its logs have other numbers: whose they are is said once the bridge
	// that has them was looked at.
	const isMoved = ({ hash, block }: Payment) =>
		rows.some((row) => row.hash === hash && BigInt(row.block) !== block);
	const free: Payment[] = [];
	for (const one of payments) {
		if (old.has(one.hash) || isMoved(one)) continue;
		if (one.logIndex !== GROWN_COIN) {
			if (!taken.has(`${one.hash} ${one.logIndex}`)) free.push(one);
			continue;
		}
		// Two transactions of one block grew the coin together: it counts once.
		const isSame = (other: Payment) =>
			other.logIndex === GROWN_COIN && other.block === one.block && other.party === one.party;
		if (free.some(isSame)) continue;
		const raw = one.raw - (await grownTaken(tx, { bridgeId, one }));
		if (raw > 0n) free.push({ ...one, raw });
	}
	return free;
}

/** Returns how much of the coin's growth in a block is other bridges'. By `arrival_in_block`. */
async function grownTaken(
	tx: Tx,
	{ bridgeId, one }: { bridgeId: string; one: Payment },
): Promise<bigint> {
	const [row] = await tx.query<{ raw: string }>(
		`select coalesce(sum(raw), 0)::text as raw from bridge.arrival
		where chain_id = $1 and block_number = $2 and party = $3 and log_index = ${GROWN_COIN}
			and bridge_id <> $4`,
		[one.chainId, Number(one.block), bytesOf(one.party), bridgeId],
	);
	return BigInt(row?.raw ?? 0);
}

/** Returns the least payment that is enough by itself, else as many as are needed. */
function chosenOf(
	free: readonly Payment[],
	{ minimumRaw, expectedRaw }: Pick<Group, "minimumRaw" | "expectedRaw">,
): Payment[] {
	const sorted = [...free].sort((one, other) => (one.raw < other.raw ? -1 : 1));
	const single = sorted.find(({ raw }) => minimumRaw !== null && raw >= minimumRaw);
	if (single) {
		// More than was expected of what grew may be for somebody else's order.
		const isShared = single.logIndex === GROWN_COIN && single.raw > expectedRaw;
		return [isShared ? { ...single, raw: expectedRaw } : single];
	}
	const chosen: Payment[] = [];
	let raw = 0n;
	for (const one of sorted.reverse()) {
		if (minimumRaw !== null && raw >= minimumRaw) break;
		chosen.push(one);
		raw += one.raw;
	}
	return chosen;
}

async function insertArrivals(
	tx: Tx,
	{ bridgeId, payments, at }: { bridgeId: string; payments: readonly Payment[]; at: Date },
): Promise<void> {
	await releaseArrivals(tx, bridgeId);
	for (const { chainId, hash, logIndex, block, party, currency, raw } of payments) {
		await tx.execute(
			`insert into bridge.arrival (bridge_id, chain_id, transaction_hash, log_index, block_number,
				party, currency, raw, at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			[
				...[bridgeId, chainId, bytesOf(hash), logIndex, Number(block), bytesOf(party)],
				...[bytesOf(currency), raw, at],
			],
		);
	}
}
