import { keccak256, stringToBytes } from "viem";
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
