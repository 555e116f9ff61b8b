/** Where an asset of the registry stands. Only an active one is traded. */
export const ASSET_STATUSES = ["active", "paused", "delisted_pending_review", "rejected"] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

/** What the sync found of an asset, or what an operator decided. */
export type AssetEvent = "sound" | "paused" | "flawed" | "gone" | "approved" | "refused";

/**
 * The states of an asset as data: what follows an event. What is left out changes nothing. Whoever
 * left the issuer's list comes back by an operator alone, and so does what an operator refused: the
 * row says that (`heldBy`), and the sync's events are not asked for it.
 */
export const nextStatus: Readonly<
	Record<AssetStatus, Readonly<Partial<Record<AssetEvent, AssetStatus>>>>
> = {
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

/** The status of an asset that was not known before. */
export const firstStatus: Readonly<Record<"sound" | "paused" | "flawed", AssetStatus>> = {
	sound: "active",
	paused: "paused",
	flawed: "rejected",
};
