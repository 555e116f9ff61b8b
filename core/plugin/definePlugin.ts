import type { z } from "zod";
import type { AnyPlugin, Needs, Plugin } from "#core/plugin/Plugin.ts";
import type { ServiceKey } from "#core/plugin/serviceKey.ts";

/** Gives a plugin its types; the value is returned as it is. */
export function definePlugin<
	Config extends z.ZodObject,
	// biome-ignore lint/complexity/noBannedTypes: no needs is the empty object.
	const N extends Needs = {},
	Offer = never,
	const OfferId extends string = never,
>(plugin: Plugin<Config, N, Offer, OfferId>): Plugin<Config, N, Offer, OfferId> {
	return plugin;
}

type OfferId<P> = P extends { offers?: ServiceKey<unknown, infer Id> } ? Id : never;
type NeedId<P> = P extends { needs: infer N }
	? { [Name in keyof N]: N[Name] extends { id: infer Id } ? Id : never }[keyof N]
	: never;

/** The ids that some plugin of the list needs and none offers. */
export type MissingNeeds<List extends readonly AnyPlugin[]> = Exclude<
	NeedId<List[number]>,
	OfferId<List[number]>
>;

/** A list of plugins. One whose needs nobody in it meets is a type error that names the need. */
export function definePlugins<const List extends readonly AnyPlugin[]>(
	list: [MissingNeeds<List>] extends [never] ? List : { missing: MissingNeeds<List> },
): readonly AnyPlugin[] {
	return list as readonly AnyPlugin[];
}
