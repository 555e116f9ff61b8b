// Reads and writes the provider's addresses that money may go to and come from.

import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

/** `filler`: orders may name it as what fills them, or pays them back; it proves no payment. */
export const PIN_ROLES = ["depository", "proxy", "solver", "filler"] as const;
export type PinRole = (typeof PIN_ROLES)[number];

/**
 * Holds one address of the provider's on a chain; `codeHash` null: it has no code, or it was not
 * read yet.
 */
export type Pin = { chainId: number; role: PinRole; address: Address; codeHash: Hex | null };

type Writing = { by: string; at: Date };

/** The name of who pinned a contract that was pinned when it was first published. */
export const FIRST_SEEN = "first seen";

/**
 * Reads the pins of some chains; with a time, those that were first seen by then, and all of an
 * operator's. By primary key.
 */
export async function readPins(
	db: Queryable,
	chainIds: readonly number[],
	{ asOf = null }: { asOf?: Date | null } = {},
): Promise<Pin[]> {
	return await db.query<Pin>(
		`select chain_id as "chainId", role, '0x' || encode(address, 'hex') as address,
			'0x' || encode(code_hash, 'hex') as "codeHash"
		from bridge.pin where chain_id = any($1::int8[])
			and ($2::timestamptz is null or pinned_at <= $2 or pinned_by <> $3)
		order by chain_id, role, address`,
		[[...chainIds], asOf, FIRST_SEEN],
	);
}

/**
 * Reads as what an address is pinned, on that chain or else on any: the provider has the key, or
 * the contract, on all of them. Null: as nothing. The table has some rows for each chain.
 */
export async function readPinRole(
	db: Queryable,
	{ chainId, address }: Pick<Pin, "chainId" | "address">,
): Promise<PinRole | null> {
	const [row] = await db.query<{ role: PinRole }>(
		"select role from bridge.pin where address = $2 order by chain_id <> $1, role limit 1",
		[chainId, bytesOf(address)],
	);
	return row?.role ?? null;
}

/** Pins addresses that were seen for the first time; those that are pinned stay as they are. */
export async function insertPins(
	db: Queryable,
	pins: readonly Pin[],
	{ by, at }: Writing,
): Promise<void> {
	for (const { chainId, role, address, codeHash } of pins) {
		const code = codeHash === null ? null : bytesOf(codeHash);
		await db.execute(
			`insert into bridge.pin (chain_id, role, address, code_hash, pinned_by, pinned_at)
			values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
			[chainId, role, bytesOf(address), code, by, at],
		);
	}
}

/** Pins the code of an address that has none yet: it was read for the first time. */
export async function pinCode(db: Queryable, pin: Pin & { codeHash: Hex }): Promise<void> {
	const { chainId, role, address, codeHash } = pin;
	await db.execute(
		`update bridge.pin set code_hash = $4
		where chain_id = $1 and role = $2 and address = $3 and code_hash is null`,
		[chainId, role, bytesOf(address), bytesOf(codeHash)],
	);
}

/**
 * Stores an address that an operator pinned. A new contract replaces the old one, because a chain
 * has one depository; a solver, or what fills orders, is added to the others.
 */
export async function replacePin(tx: Tx, pin: Pin, writing: Writing): Promise<void> {
	const { chainId, role, address } = pin;
	const isAlone = role === "depository" || role === "proxy";
	await tx.execute(
		"delete from bridge.pin where chain_id = $1 and role = $2 and ($3::boolean or address = $4)",
		[chainId, role, isAlone, bytesOf(address)],
	);
	await insertPins(tx, [pin], writing);
}
