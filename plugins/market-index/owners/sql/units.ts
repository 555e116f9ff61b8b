// Reads and writes spans, units, holders and supply.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Span } from "#plugins/market-index/owners/createSpanMap.ts";

export type HeldUnits = { setId: number; owner: Address; units: bigint };

export type SupplyChange = {
	setId: number;
	owners: number;
	minted: bigint;
	burned: bigint;
};

export type AccountUnits = {
	setId: number;
	tokenId: bigint;
	owner: Address;
	units: bigint;
};

type SpanQuery = { setId: number; from: bigint; to: bigint };

type SpanWrite = {
	gone: readonly { setId: number; from: bigint }[];
	made: readonly (Span & { setId: number })[];
};

type SpanRow = {
	setId: number;
	from: string;
	to: string;
	owner: Address;
	position: string;
};

/**
 * Adds to accounts' units of a collection, by primary key; each account once. Returns by how many
 * the holders of each collection grew. An account without units has no row.
 */
export async function addHeld(tx: Tx, added: readonly HeldUnits[]): Promise<Map<number, number>> {
	const grown = new Map<number, number>();
	if (added.length === 0) return grown;
	const upserted = tx.query<{ setId: number; owner: Address; units: string }>(
		`insert into market_index.holder as kept (set_id, owner, units)
		select * from unnest($1::int4[], $2::bytea[], $3::numeric[])
		on conflict (set_id, owner) do update set units = kept.units + excluded.units
		returning set_id as "setId", '0x' || encode(owner, 'hex') as owner, units`,
		heldColumns(added),
	);
	// In one round trip: only an account that gave units away can have none now.
	const fewer = added.filter(({ units }) => units < 0n);
	const [rows] = await Promise.all([upserted, deleteEmpty(tx, fewer)]);
	const addedTo = new Map(added.map((held) => [heldKey(held), held.units]));
	for (const row of rows) {
		const { setId } = row;
		const units = BigInt(row.units);
		const before = units - (addedTo.get(heldKey(row)) ?? 0n);
		const change = Number(units > 0n) - Number(before > 0n);
		grown.set(setId, (grown.get(setId) ?? 0) + change);
	}
	return grown;
}

/** Adds to the counts of owners and of minted and destroyed units, by the unique set. */
export async function addSupply(tx: Tx, changes: readonly SupplyChange[]): Promise<void> {
	if (changes.length === 0) return;
	await tx.execute(
		`update market_index.ownership as kept set
			owners = kept.owners + given.owners,
			minted = kept.minted + given.minted,
			burned = kept.burned + given.burned
		from unnest($1::int4[], $2::int8[], $3::numeric[], $4::numeric[])
			as given (id, owners, minted, burned)
		where kept.set_id = given.id`,
		[
			changes.map(({ setId }) => setId),
			changes.map(({ owners }) => owners),
			changes.map(({ minted }) => minted),
			changes.map(({ burned }) => burned),
		],
	);
}

/**
 * Adds to accounts' units of an ERC-1155's ids, by primary key; each account and id once. Returns
 * what each has now. Rows that come to 0 are deleted.
 */
export async function addUnits(tx: Tx, added: readonly AccountUnits[]): Promise<AccountUnits[]> {
	if (added.length === 0) return [];
	const upserted = tx.query<{
		setId: number;
		tokenId: string;
		owner: Address;
		units: string;
	}>(
		`insert into market_index.owned_units as kept (set_id, token_id, owner, units)
		select * from unnest($1::int4[], $2::numeric[], $3::bytea[], $4::numeric[])
		on conflict (set_id, token_id, owner) do update set
			units = kept.units + excluded.units
		returning set_id as "setId", token_id as "tokenId",
			'0x' || encode(owner, 'hex') as owner, units`,
		accountColumns(added),
	);
	const columns = accountColumns(added).slice(0, 3);
	const deleted = tx.execute(
		`delete from market_index.owned_units as kept
		using unnest($1::int4[], $2::numeric[], $3::bytea[]) as given (id, token_id, owner)
		where kept.set_id = given.id and kept.token_id = given.token_id
			and kept.owner = given.owner and kept.units = 0`,
		columns,
	);
	const [rows] = await Promise.all([upserted, deleted]);
	return rows.map(({ tokenId, units, ...row }): AccountUnits => {
		return { ...row, tokenId: BigInt(tokenId), units: BigInt(units) };
	});
}

/**
 * Returns the stored spans that overlap these, by collection. By primary key: the last one that
 * begins at or before a span, and those that begin within it.
 */
export async function readSpans(
	tx: Tx,
	queries: readonly SpanQuery[],
): Promise<Map<number, Span[]>> {
	const asked = new Map(queries.map((query) => [queryKey(query), query]));
	const given = [...asked.values()];
	const rows = await tx.query<SpanRow>(
		`select distinct s.set_id as "setId", s.from_id as "from", s.to_id as "to",
			'0x' || encode(s.owner, 'hex') as owner, s.position::text as position
		from unnest($1::int4[], $2::numeric[], $3::numeric[]) as given (id, low, high)
		cross join lateral (
			(
				select * from market_index.owned_span
				where set_id = given.id and from_id <= given.low
				order by from_id desc limit 1
			)
			union all
			select * from market_index.owned_span
			where set_id = given.id and from_id > given.low and from_id <= given.high
		) as s
		where s.to_id >= given.low`,
		[given.map(({ setId }) => setId), given.map(({ from }) => from), given.map(({ to }) => to)],
	);
	const spans = new Map<number, Span[]>();
	for (const { setId, from, to, owner, position } of rows) {
		const list = spans.get(setId) ?? [];
		spans.set(setId, list);
		list.push({ from: BigInt(from), to: BigInt(to), owner, position: BigInt(position) });
	}
	return spans;
}

/** Replaces stored spans, by primary key. */
export async function writeSpans(tx: Tx, { gone, made }: SpanWrite): Promise<void> {
	await Promise.all([deleteSpans(tx, gone), upsertSpans(tx, made)]);
}

function heldColumns(rows: readonly HeldUnits[]) {
	return [
		rows.map(({ setId }) => setId),
		rows.map(({ owner }) => bytesOf(owner)),
		rows.map(({ units }) => units),
	];
}

async function deleteEmpty(tx: Tx, given: readonly HeldUnits[]): Promise<void> {
	if (given.length === 0) return;
	await tx.execute(
		`delete from market_index.holder as kept
		using unnest($1::int4[], $2::bytea[]) as given (id, owner)
		where kept.set_id = given.id and kept.owner = given.owner and kept.units = 0`,
		heldColumns(given).slice(0, 2),
	);
}

function heldKey({ setId, owner }: { setId: number; owner: Address }): string {
	return `${setId} ${owner}`;
}

function accountColumns(rows: readonly AccountUnits[]) {
	return [
		rows.map(({ setId }) => setId),
		rows.map(({ tokenId }) => tokenId),
		rows.map(({ owner }) => bytesOf(owner)),
		rows.map(({ units }) => units),
	];
}

function queryKey({ setId, from, to }: SpanQuery): string {
	return `${setId} ${from} ${to}`;
}

async function deleteSpans(tx: Tx, gone: SpanWrite["gone"]): Promise<void> {
	if (gone.length === 0) return;
	await tx.execute(
		`delete from market_index.owned_span as kept
		using unnest($1::int4[], $2::numeric[]) as given (id, from_id)
		where kept.set_id = given.id and kept.from_id = given.from_id`,
		[gone.map(({ setId }) => setId), gone.map(({ from }) => from)],
	);
}

async function upsertSpans(tx: Tx, made: SpanWrite["made"]): Promise<void> {
	if (made.length === 0) return;
	await tx.execute(
		`insert into market_index.owned_span (set_id, from_id, to_id, owner, position)
		select * from unnest($1::int4[], $2::numeric[], $3::numeric[], $4::bytea[], $5::int8[])
		on conflict (set_id, from_id) do update set
			to_id = excluded.to_id, owner = excluded.owner, position = excluded.position`,
		[
			made.map(({ setId }) => setId),
			made.map(({ from }) => from),
			made.map(({ to }) => to),
			made.map(({ owner }) => bytesOf(owner)),
			made.map(({ position }) => position),
		],
	);
}
