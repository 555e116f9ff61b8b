import type { ExtensionPoint } from "#core/plugin/extensionPoint.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";

/** Looks up what plugins put into points, in the order of the plugins. */
export function contributionsOf(plugins: readonly AnyPlugin[]) {
	const all = plugins.flatMap((plugin) => plugin.contributes ?? []);
	return <Value>(point: ExtensionPoint<Value>): Value[] =>
		// `contribute` checked each value's type against the point when it was written down.
		all.filter(({ pointId }) => pointId === point.id).map(({ value }) => value as Value);
}
