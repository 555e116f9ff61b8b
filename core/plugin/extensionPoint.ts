/** A typed place that a plugin opens for data of other plugins (venues, chains, …). */
export type ExtensionPoint<Value> = {
	readonly id: string;
	/** Never set: it only carries the type. */
	readonly phantom?: (value: Value) => Value;
};

/** One value put into one point; kept as data in the contributing plugin. */
export type Contribution = { readonly pointId: string; readonly value: unknown };

export function extensionPoint<Value>(id: string): ExtensionPoint<Value> {
	return { id };
}

/** @example contributes: [contribute(VenuePoint, looksRareVenue)] */
export function contribute<Value>(point: ExtensionPoint<Value>, value: Value): Contribution {
	return { pointId: point.id, value };
}
