/** What a turn of the job does that goes out, or lasts. */
export const turnSteps = ["buyback.turn", "commit.buyback", "commit.buyback_look"] as const;
export type TurnStep = (typeof turnSteps)[number];

/** Outbound calls of the purchase. */
export const purchaseSteps = ["buyback.keeper", "buyback.market", "buyback.supply"] as const;

/** Outbound calls of the step before it. */
export const releaseSteps = ["buyback.owed"] as const;
