import type { StateTable } from "#core/states.ts";

/** The status of an asset in the registry. Only an active one is traded. */
export const ASSET_STATUSES = ["active", "paused", "delisted_pending_review", "rejected"] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

/** A finding of the sync about an asset, or an operator's decision. */
export type AssetEvent = "sound" | "paused" | "flawed" | "gone" | "approved" | "refused";

/**
 * The transitions of an asset as data: the status after an event. A missing entry changes nothing.
 * A token that left the issuer's list, or that an operator refused (`heldBy`), is reinstated only
 * by an operator: the sync's events do not apply to it.
 */
export const nextStatus: StateTable<AssetStatus, AssetEvent> = {
	active: {
		paused: "paused",
		flawed: "rejected",
		gone: "delisted_pending_review",
		refused: "rejected",
	},
	paused: {
		sound: "active",
		flawed: "rejected",
		gone: "delisted_pending_review",
		refused: "rejected",
	},
	delisted_pending_review: { approved: "active", refused: "rejected" },
	rejected: { sound: "active", paused: "paused", approved: "active" },
};

/** The first status of a new asset. */
export const firstStatus: Readonly<Record<"sound" | "paused" | "flawed", AssetStatus>> = {
	sound: "active",
	paused: "paused",
	flawed: "rejected",
};
