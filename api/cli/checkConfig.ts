import { loadPlugins } from "#api/service/loadPlugins.ts";
import { pluginNames, sectionsOf } from "#api/service/sectionsOf.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { orderPlugins } from "#core/plugin/orderPlugins.ts";

/**
 * Refuses a configuration that a start would refuse, before anything is started for it: a sandbox
 * takes up to a minute to come up.
 */
export async function checkConfig(env: Environment): Promise<void> {
	const { loaded, disabled } = pluginNames(env);
	const plugins = orderPlugins(await loadPlugins(loaded, disabled));
	parseConfig(sectionsOf(plugins).all, env);
}
