import { AuditBookPoint } from "#core/plugin/AuditBookPoint.ts";
import { ChainPoint } from "#core/plugin/ChainPoint.ts";
import { pluginFault } from "#core/plugin/faults.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";

/**
 * Sorts plugins so that each comes after those it needs, keeping the given order otherwise.
 *
 * Everything that is wrong is said in one Fault: names used twice, services offered twice, needs
 * nobody meets, circles, contributions to points that nobody opens, schemas and commands that two
 * plugins claim.
 */
export function orderPlugins(plugins: readonly AnyPlugin[]): AnyPlugin[] {
	const problems: string[] = [];
	const offers = new Map<string, AnyPlugin>();
	const names = new Set<string>();
	for (const plugin of plugins) {
		if (names.has(plugin.name)) problems.push(`two plugins are called "${plugin.name}"`);
		names.add(plugin.name);
		const id = plugin.offers?.id;
		const other = id === undefined ? undefined : offers.get(id);
		if (other) problems.push(`"${other.name}" and "${plugin.name}" both offer "${id}"`);
		if (id !== undefined && !other) offers.set(id, plugin);
	}
	problems.push(...twiceClaimed(plugins));
	const points = new Set([ChainPoint.id, AuditBookPoint.id]);
	for (const plugin of plugins) for (const { id } of plugin.opens ?? []) points.add(id);
	for (const plugin of plugins) {
		for (const id of needIds(plugin)) {
			if (!offers.has(id)) problems.push(`"${plugin.name}" needs "${id}", which nobody offers`);
		}
		for (const { pointId } of plugin.contributes ?? []) {
			if (points.has(pointId)) continue;
			problems.push(`"${plugin.name}" contributes to "${pointId}", which nobody opens`);
		}
	}
	const ordered = problems.length === 0 ? sort(plugins, offers, problems) : [];
	if (problems.length > 0) {
		throw pluginFault.pluginsInvalid({ public: `Plugins: ${problems.join("; ")}.` });
	}
	return ordered;
}

/** The runtime's own schemas, and those that everybody can write to. */
const SCHEMAS_TAKEN = ["core", "graphile_worker", "public", "information_schema"];

/** Two plugins in one schema would break each other's tables; commands would hide each other. */
function twiceClaimed(plugins: readonly AnyPlugin[]): string[] {
	const problems: string[] = [];
	const owners = new Map(SCHEMAS_TAKEN.map((schema) => [`the schema "${schema}"`, "the runtime"]));
	for (const plugin of plugins) {
		const schemas = plugin.tables ? [`the schema "${plugin.tables.schema}"`] : [];
		const commands = (plugin.cli ?? []).map(({ name }) => `the command "${name}"`);
		for (const what of [...schemas, ...commands]) {
			const other = owners.get(what);
			if (other) problems.push(`${other} and "${plugin.name}" both claim ${what}`);
			owners.set(what, other ?? `"${plugin.name}"`);
		}
	}
	return problems;
}

function needIds(plugin: AnyPlugin): string[] {
	const keys: readonly { id: string }[] = Object.values(plugin.needs ?? {});
	return keys.map((key) => key.id);
}

/** Depth first, so a circle is met on the path that leads into it and can be named. */
function sort(
	plugins: readonly AnyPlugin[],
	offers: ReadonlyMap<string, AnyPlugin>,
	problems: string[],
): AnyPlugin[] {
	const ordered = new Set<AnyPlugin>();
	const visit = (plugin: AnyPlugin, path: readonly AnyPlugin[]) => {
		if (ordered.has(plugin)) return;
		if (path.includes(plugin)) {
			const circle = [...path.slice(path.indexOf(plugin)), plugin].map(({ name }) => name);
			problems.push(`a circle of needs: ${circle.join(" → ")}`);
			return;
		}
		for (const id of needIds(plugin)) {
			const needed = offers.get(id);
			if (needed) visit(needed, [...path, plugin]);
		}
		ordered.add(plugin);
	};
	for (const plugin of plugins) if (problems.length === 0) visit(plugin, []);
	return [...ordered];
}
