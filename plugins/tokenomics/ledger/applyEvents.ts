// Adds events to the ledger's entries, sums and balances.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { NOTHING_CARRIED, shareOut } from "#plugins/tokenomics/contracts/abi.ts";
import type { EntryEvent, LedgerEvent, TransferEvent } from "#plugins/tokenomics/ledgerEvents.ts";
import { entries, type NewEntry, transfers } from "#plugins/tokenomics/sql/entries.ts";
import { holders } from "#plugins/tokenomics/sql/holders.ts";
import {
	NO_SOURCE,
	type OfContract,
	type TotalChange,
	type TotalKey,
	totalKey,
	totalName,
	totals,
} from "#plugins/tokenomics/sql/totals.ts";

/** The router's initial split in basis points: holders, league, burn, treasury. */
export const DEFAULT_SPLIT = [3_500, 1_500, 2_000, 3_000] as const;

type Applied = {
	chainId: number;
	/** In chain order. */
	events: readonly LedgerEvent[];
	/** The times of blocks with events of router or burner. */
	timeMs: ReadonlyMap<number, number>;
	/** Every burner that is followed: what their own transfers burn is added up apart. */
	burners: ReadonlySet<Address>;
};

type Moves = readonly Pick<TransferEvent, "from" | "to" | "amount" | "block">[];

/**
 * Writes events down and changes every sum and balance by them, all in the caller's transaction,
 * which moves the cursor past them as well: they are in the ledger once or not at all.
 */
export async function applyEvents(tx: Tx, applied: Applied): Promise<void> {
	const byContract = Map.groupBy(applied.events, ({ contract }) => contract);
	for (const [contract, events] of byContract) {
		const said = events.filter((event): event is EntryEvent => event.kind !== "transfer");
		const moved = events.filter((event): event is TransferEvent => event.kind === "transfer");
		if (said.length > 0) await applyEntries(tx, contract, { ...applied, said });
		if (moved.length > 0) await applyTransfers(tx, contract, { ...applied, moved });
	}
}

async function applyEntries(
	tx: Tx,
	contract: Address,
	{ chainId, timeMs, said }: Applied & { said: readonly EntryEvent[] },
): Promise<void> {
	const of = { chainId, contract };
	const inForce = new Map(
		(await entries.splits(tx, chainId, contract)).map((split) => [split.source, split]),
	);
	const rows: NewEntry[] = [];
	const changes = createChanges();
	const carried = await readCarried(tx, of, said);
	for (const event of said) {
		const atMs = timeMs.get(event.block);
		assert(atMs !== undefined, "the time of each block with an entry was read");
		const { block, logIndex } = event;
		const change = { entries: 1, burned: 0n, block, atMs };
		let split: NewEntry["split"] = null;
		switch (event.kind) {
			case "split_set":
				inForce.set(event.source, { block, logIndex, source: event.source, bps: event.bps });
				break;
			case "revenue_received": {
				const { source, currency, amount } = event;
				const found = inForce.get(source) ?? inForce.get(NO_SOURCE);
				const before = carried.get(currency) ?? NOTHING_CARRIED;
				const out = shareOut(amount, found?.bps ?? DEFAULT_SPLIT, before);
				carried.set(currency, out.carried);
				split = {
					...{ block: found?.block ?? 0, logIndex: found?.logIndex ?? 0 },
					carried: out.carried,
				};
				changes.add(totalKey("revenue_received", { currency, split }), { ...change, amount });
				changes.add(totalKey("revenue", { currency }), { ...change, amount });
				for (const [bucket, share] of out.shares.entries()) {
					const of = { currency, bucket };
					const parts = (out.carried[bucket] ?? 0n) - (before[bucket] ?? 0n);
					changes.add(totalKey("earned", of), { ...change, amount: share });
					changes.add(totalKey("carried", of), { ...change, amount: parts });
				}
				break;
			}
			case "share_paid": {
				const { bucket, currency, amount } = event;
				changes.add(totalKey("share_paid", { bucket, currency }), { ...change, amount });
				break;
			}
			case "buyback_burned": {
				const { currency, amount, burned } = event;
				changes.add(totalKey("buyback_burned", { currency }), { ...change, amount, burned });
				break;
			}
			default:
				break;
		}
		rows.push({ event, atMs, split });
	}
	await entries.insert(tx, chainId, rows);
	await totals.add(tx, of, changes.all());
}

/** Reads what buckets are short of, by the currencies that come in now. */
async function readCarried(
	tx: Tx,
	of: OfContract,
	said: readonly EntryEvent[],
): Promise<Map<Address, readonly bigint[]>> {
	const currencies = new Set(
		said.flatMap((event) => (event.kind === "revenue_received" ? event.currency : [])),
	);
	if (currencies.size === 0) return new Map();
	const keys = [...currencies].flatMap((currency) =>
		NOTHING_CARRIED.map((_, bucket) => totalKey("carried", { currency, bucket })),
	);
	const carried = new Map<Address, readonly bigint[]>();
	for (const { currency, bucket, amount } of await totals.ofKeys(tx, of, keys)) {
		carried.set(currency, (carried.get(currency) ?? NOTHING_CARRIED).with(bucket, amount));
	}
	return carried;
}

async function applyTransfers(
	tx: Tx,
	token: Address,
	{ chainId, burners, moved }: Applied & { moved: readonly TransferEvent[] },
): Promise<void> {
	const sums = sumTransfers(moved, burners);
	const grew = await holders.add(tx, { chainId, token }, sums.balances);
	const last = moved.at(-1);
	assert(last, "there are transfers");
	const change = { amount: 0n, burned: 0n, block: last.block, atMs: null };
	sums.changes.add(totalKey("holders"), { ...change, entries: grew });
	await transfers.insert(tx, { chainId, token }, moved);
	await totals.add(tx, { chainId, contract: token }, sums.changes.all());
}

/** Returns what transfers do to balances, and what they make and burn. */
export function sumTransfers(moved: Moves, burners: ReadonlySet<Address>) {
	const balances = new Map<Address, bigint>();
	const changes = createChanges();
	const add = (holder: Address, amount: bigint) => {
		balances.set(holder, (balances.get(holder) ?? 0n) + amount);
	};
	for (const { from, to, amount, block } of moved) {
		const change = { entries: 1, amount, burned: 0n, block, atMs: null };
		if (from === ZERO_ADDRESS) changes.add(totalKey("minted"), change);
		else add(from, -amount);
		if (to !== ZERO_ADDRESS) add(to, amount);
		else {
			changes.add(totalKey("burned"), change);
			if (burners.has(from)) changes.add(totalKey("burner_burned", { currency: from }), change);
		}
	}
	return { balances, changes };
}

/** Gathers what a batch adds to each row. */
export function createChanges() {
	const rows = new Map<string, TotalChange>();
	return {
		add(
			key: TotalKey,
			change: {
				entries: number;
				amount: bigint;
				burned: bigint;
				block: number;
				atMs: number | null;
			},
		) {
			const name = totalName(key);
			const { entries: count, amount, burned, block, atMs } = change;
			const lastAt = atMs === null ? null : new Date(atMs);
			const old = rows.get(name);
			rows.set(name, {
				...key,
				entries: (old?.entries ?? 0) + count,
				amount: (old?.amount ?? 0n) + amount,
				burned: (old?.burned ?? 0n) + burned,
				firstBlock: Math.min(old?.firstBlock ?? block, block),
				lastBlock: block,
				lastAt,
			});
		},
		all: (): TotalChange[] => [...rows.values()],
	};
}
