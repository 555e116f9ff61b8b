import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { serviceFault } from "#api/service/faults.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";

/**
 * The built-in plugins without those left out, and the modules that the operator names.
 *
 * A module exports one plugin under any name. A path is taken from the working directory.
 */
export async function loadPlugins(
	moduleNames: readonly string[],
	disabled: readonly string[],
): Promise<AnyPlugin[]> {
	const unknown = disabled.filter((name) => !builtinPlugins.some((plugin) => plugin.name === name));
	if (unknown.length > 0) {
		const known = builtinPlugins.map(({ name }) => name).join(", ");
		throw serviceFault.pluginModule({
			public: `PLUGINS_DISABLED names ${unknown.join(", ")}. Built in are: ${known}.`,
		});
	}
	const kept = builtinPlugins.filter(({ name }) => !disabled.includes(name));
	const loaded: AnyPlugin[] = [];
	for (const name of moduleNames) loaded.push(...(await loadModule(name)));
	return [...kept, ...loaded];
}

async function loadModule(name: string): Promise<AnyPlugin[]> {
	const isPath = name.startsWith(".") || isAbsolute(name);
	const specifier = isPath ? pathToFileURL(resolve(name)).href : name;
	let exported: Record<string, unknown>;
	try {
		exported = await import(specifier);
	} catch (cause) {
		const text = String(cause).slice(0, 300);
		throw serviceFault.pluginModule({ public: `PLUGINS: "${name}" does not load: ${text}`, cause });
	}
	const plugins = Object.values(exported).filter(isPlugin);
	if (plugins.length === 0) {
		throw serviceFault.pluginModule({ public: `PLUGINS: "${name}" exports no plugin.` });
	}
	return plugins;
}

function isPlugin(value: unknown): value is AnyPlugin {
	if (typeof value !== "object" || value === null) return false;
	return "name" in value && "setup" in value && typeof value.setup === "function";
}
