import { loadPlugins, pluginNames, sectionsOf } from "#api/service/startService.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { refuseTakenPort } from "#core/http/listenHttp.ts";
import { orderPlugins } from "#core/plugin/createHost.ts";

/**
 * Refuses a configuration that a start would refuse, and a port that is in use, before anything is
 * started for it: a sandbox takes up to a minute to come up.
 */
export async function checkConfig(env: Environment): Promise<void> {
	const { loaded, disabled } = pluginNames(env);
	const plugins = orderPlugins(await loadPlugins(loaded, disabled));
	const sections = sectionsOf(plugins);
	const { HOST: host, PORT: port } = parseConfig(sections.all, env).of(sections.core);
	await refuseTakenPort({ host, port });
}
