import { concat, keccak256, stringToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import { stableJson } from "#core/json/stableJson.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import { planCodec } from "#plugins/wallets/plan/planCodec.ts";

/**
 * What somebody says yes to: everything that would be signed, and everything they were shown of it.
 * When it expires is left out, so the same plan made anew is the same.
 */
export function hashPlan(plan: Plan): Hex {
	const { expiresAtMs: _, ...rest } = planCodec.write(plan);
	return keccak256(stringToBytes(stableJson(rest)));
}

/**
 * What somebody says yes to when a batch is confirmed with one word: all of its plans, in the order
 * of their intents. One plan alone is known by its own hash. Null where one has no plan.
 */
export function hashBatch(intents: readonly { id: string; planHash: Hex | null }[]): Hex | null {
	const ordered = [...intents].sort((one, other) => (one.id < other.id ? -1 : 1));
	const hashes = ordered.flatMap(({ planHash }) => (planHash === null ? [] : [planHash]));
	if (hashes.length === 0 || hashes.length !== intents.length) return null;
	return hashes.length === 1 ? (hashes[0] ?? null) : keccak256(concat(hashes));
}
