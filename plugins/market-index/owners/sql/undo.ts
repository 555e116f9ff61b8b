// Keeps the journal of owner changes, and reads it back after a reorg.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import type { OwnedBefore, UnitsAdded } from "#plugins/market-index/owners/createSpanMap.ts";

type SpanRow = {
	setId: number;
	from: string;
	to: string;
	owner: Address | null;
	position: string;
};

type UnitsRow = {
	block: number;
	setId: number;
	tokenId: string | null;
	owner: Address;
	units: string;
};

/** Bits of a position below its block; see `positionOf`. */
const BITS_BELOW_BLOCK = 30n;

/** Says whether the journal reaches down to a fork. */
export async function canRevert(tx: Tx, { chainId, forkBlock }: Reorg): Promise<boolean> {
	const rows = await tx.query(
		"select from market_index.owner_journal where chain_id = $1 and complete_from > $2::int8 + 1",
		[chainId, forkBlock],
	);
	return rows.length === 0;
}

/** Journals replaced spans, under the block of the transfer that replaced them. */
export async function keepBefore(
	tx: Tx,
	chainId: number,
	before: readonly OwnedBefore[],
): Promise<void> {
	if (before.length === 0) return;
	await tx.execute(
		`insert into market_index.span_before
			(chain_id, block, set_id, from_id, to_id, owner, position)
		select $1, * from unnest(
			$2::int8[], $3::int4[], $4::numeric[], $5::numeric[], $6::bytea[], $7::int8[]
		)`,
		[
			chainId,
			before.map(({ until }) => blockOfPosition(until)),
			before.map(({ setId }) => setId),
			before.map(({ from }) => from),
			before.map(({ to }) => to),
			before.map(({ owner }) => (owner === null ? null : bytesOf(owner))),
			before.map(({ position }) => position),
		],
	);
}

/** Returns the block of a chain position. */
function blockOfPosition(position: bigint): number {
	return Number(position >> BITS_BELOW_BLOCK);
}

/** Journals sums of units. */
export async function keepUnits(
	tx: Tx,
	chainId: number,
	added: readonly UnitsAdded[],
): Promise<void> {
	if (added.length === 0) return;
	await tx.execute(
		`insert into market_index.units_added
			(chain_id, block, set_id, token_id, owner, units)
		select $1, * from unnest($2::int8[], $3::int4[], $4::numeric[], $5::bytea[], $6::numeric[])`,
		[
			chainId,
			added.map(({ block }) => block),
			added.map(({ setId }) => setId),
			added.map(({ tokenId }) => tokenId),
			added.map(({ owner }) => bytesOf(owner)),
			added.map(({ units }) => units),
		],
	);
}

/**
 * Deletes the journal of blocks that cannot leave the chain any more, and records that it is
 * complete only from this block on. By the indexes on the block.
 */
export async function pruneJournal(tx: Tx, chainId: number, below: number): Promise<void> {
	await tx.execute(
		`with spans as (
			delete from market_index.span_before where chain_id = $1 and block < $2
		), units as (
			delete from market_index.units_added where chain_id = $1 and block < $2
		)
		insert into market_index.owner_journal as kept (chain_id, complete_from) values ($1, $2)
		on conflict (chain_id) do update set complete_from = excluded.complete_from
		where kept.complete_from < excluded.complete_from`,
		[chainId, below],
	);
}

/**
 * Removes from the journal what transfers above a fork replaced, and returns it. By the index
 * `span_before_block`.
 */
export async function takeBefore(
	tx: Tx,
	{ chainId, forkBlock }: Reorg,
): Promise<Omit<OwnedBefore, "until">[]> {
	const rows = await tx.query<SpanRow>(
		`delete from market_index.span_before where chain_id = $1 and block > $2
		returning set_id as "setId", from_id as "from", to_id as "to",
			'0x' || encode(owner, 'hex') as owner, position::text as position`,
		[chainId, forkBlock],
	);
	return rows.map(({ setId, owner, ...row }) => ({
		setId,
		owner,
		from: BigInt(row.from),
		to: BigInt(row.to),
		position: BigInt(row.position),
	}));
}

/**
 * Removes from the journal what was added above a fork, and returns it. By the index
 * `units_added_block`.
 */
export async function takeUnits(tx: Tx, { chainId, forkBlock }: Reorg): Promise<UnitsAdded[]> {
	const rows = await tx.query<UnitsRow>(
		`delete from market_index.units_added where chain_id = $1 and block > $2
		returning block, set_id as "setId", token_id as "tokenId",
			'0x' || encode(owner, 'hex') as owner, units`,
		[chainId, forkBlock],
	);
	return rows.map(({ tokenId, units, ...row }) => ({
		...row,
		tokenId: tokenId === null ? null : BigInt(tokenId),
		units: BigInt(units),
	}));
}
