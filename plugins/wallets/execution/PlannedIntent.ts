import type { Intent } from "#plugins/wallets/contract.ts";
import type { CostedPlan } from "#plugins/wallets/execution/judgeBatch.ts";

/** An intent with what would be sent for it. */
export type PlannedIntent = CostedPlan & { intent: Intent };
