// Writes changes of owners with the counts that follow from them.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { SpanChanges, UnitsAdded } from "#plugins/market-index/owners/createSpanMap.ts";
import { keepBefore } from "#plugins/market-index/owners/sql/undo.ts";
import {
	type AccountUnits,
	addHeld,
	addSupply,
	addUnits,
	type HeldUnits,
	type SupplyChange,
	writeSpans,
} from "#plugins/market-index/owners/sql/units.ts";

type OwnerChanges = {
	/** The changed spans by collection. */
	spans: ReadonlyMap<number, SpanChanges>;
	added: readonly UnitsAdded[];
	/** `1n` where units are added, `-1n` where a reorg removes them. */
	sign: 1n | -1n;
};

/**
 * Writes the changes of spans and units with what follows: holders, owners, supply. Used both when
 * transfers are applied and when a reorg removes them, so that the counts cannot drift.
 */
export async function writeChanges(
	tx: Tx,
	chainId: number,
	{ spans, added, sign }: OwnerChanges,
): Promise<void> {
	const each = [...spans].map(([setId, changes]) => ({ setId, changes }));
	const written = writeSpans(tx, {
		gone: each.flatMap(({ setId, changes }) => {
			return changes.gone.map((from) => ({ setId, from }));
		}),
		made: each.flatMap(({ setId, changes }) => {
			return changes.made.map((span) => ({ ...span, setId }));
		}),
	});
	const before = each.flatMap(({ setId, changes }) => {
		return changes.before.map((span) => ({ ...span, setId }));
	});
	const perAccount = unitsPerAccount(added, sign);
	const [now] = await Promise.all([
		addUnits(tx, perAccount),
		written,
		keepBefore(tx, chainId, before),
	]);
	const held = each.flatMap(({ setId, changes }) => {
		return [...changes.held].map(([owner, units]) => ({ setId, owner, units }));
	});
	held.push(...heldChanges(perAccount, now));
	const grown = await addHeld(tx, heldPerAccount(held));
	await addSupply(tx, supplyChanges({ added, sign }, grown));
}

/** Sums up by account and id, for all blocks together. */
function unitsPerAccount(added: readonly UnitsAdded[], sign: bigint): AccountUnits[] {
	const sums = new Map<string, AccountUnits>();
	for (const { setId, tokenId, owner, units } of added) {
		if (owner === ZERO_ADDRESS || tokenId === null) continue;
		const key = accountKey({ setId, tokenId, owner });
		const known = sums.get(key);
		if (known) known.units += sign * units;
		else sums.set(key, { setId, tokenId, owner, units: sign * units });
	}
	return [...sums.values()].filter(({ units }) => units !== 0n);
}

function accountKey(account: { setId: number; tokenId: bigint; owner: Address }): string {
	return `${account.setId} ${account.tokenId} ${account.owner}`;
}

/**
 * Returns changes of held units. A balance below zero counts as none; a walk will find where the
 * units came from.
 */
function heldChanges(added: readonly AccountUnits[], now: readonly AccountUnits[]): HeldUnits[] {
	const addedTo = new Map(added.map((account) => [accountKey(account), account.units]));
	return now.map(({ setId, tokenId, owner, units }) => {
		const before = units - (addedTo.get(accountKey({ setId, tokenId, owner })) ?? 0n);
		return { setId, owner, units: positive(units) - positive(before) };
	});
}

function positive(units: bigint): bigint {
	return units > 0n ? units : 0n;
}

function heldPerAccount(held: readonly HeldUnits[]): HeldUnits[] {
	const sums = new Map<string, HeldUnits>();
	for (const { setId, owner, units } of held) {
		if (owner === ZERO_ADDRESS) continue;
		const key = `${setId} ${owner}`;
		const known = sums.get(key);
		if (known) known.units += units;
		else sums.set(key, { setId, owner, units });
	}
	return [...sums.values()].filter(({ units }) => units !== 0n);
}

function supplyChanges(
	{ added, sign }: Pick<OwnerChanges, "added" | "sign">,
	grown: ReadonlyMap<number, number>,
): SupplyChange[] {
	const changes = new Map<number, SupplyChange>();
	const changeOfSet = (setId: number): SupplyChange => {
		const known = changes.get(setId);
		if (known) return known;
		const change = { setId, owners: 0, minted: 0n, burned: 0n };
		changes.set(setId, change);
		return change;
	};
	for (const { setId, owner, units } of added) {
		if (owner !== ZERO_ADDRESS) continue;
		if (units < 0n) changeOfSet(setId).minted -= sign * units;
		else changeOfSet(setId).burned += sign * units;
	}
	for (const [setId, owners] of grown) changeOfSet(setId).owners += owners;
	return [...changes.values()];
}
