import type { ConfigSection } from "#core/config/ConfigSection.ts";
import { coreConfig } from "#core/config/coreConfig.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";

const core: ConfigSection<typeof coreConfig> = { owner: "core", schema: coreConfig };

/** Which plugins to load: read before the rest, because only then are all variables known. */
const loading: ConfigSection = {
	owner: "core",
	schema: coreConfig.pick({ PLUGINS: true, PLUGINS_DISABLED: true }),
};

export function pluginNames(env: Environment): { loaded: string[]; disabled: string[] } {
	const schema = coreConfig.pick({ PLUGINS: true, PLUGINS_DISABLED: true });
	const { PLUGINS, PLUGINS_DISABLED } = parseConfig([loading], env).of({ owner: "core", schema });
	return { loaded: PLUGINS, disabled: PLUGINS_DISABLED };
}

/** The configuration of the runtime and of every plugin. */
export function sectionsOf(plugins: readonly AnyPlugin[]) {
	const own = plugins.map((plugin): ConfigSection => {
		return { owner: plugin.name, schema: plugin.config };
	});
	return { core, all: [core, ...own] };
}
