import { quieterLevel } from "#api/cli/quieterLevel.ts";
import { openStorage, type Storage, type StorageOptions } from "#api/service/openStorage.ts";
import { sectionsOf } from "#api/service/sectionsOf.ts";
import { systemClock as clock } from "#core/clock/systemClock.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { secretsOf } from "#core/config/secretsOf.ts";
import { createLog } from "#core/log/createLog.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";

type Given = StorageOptions & {
	env: Environment;
	plugins: readonly AnyPlugin[];
	note(line: string): void;
	/** Throws where the embedded database must not be opened, because that would make one. */
	inspectFolder?(dataDir: string): void;
};

/**
 * Opens the configured database, brought up to date, for commands that need nothing else: they work
 * where CHAINS is not set. The log goes to `note`: stdout is the command's.
 */
export async function openStorageOnly(given: Given): Promise<Storage> {
	const { env, plugins, note, inspect, inspectFolder } = given;
	const sections = sectionsOf(plugins);
	const config = parseConfig(sections.all, env).of(sections.core);
	const to = { write: (line: string) => note(line.trimEnd()) };
	const secrets = secretsOf(sections.all, env);
	const log = createLog({ level: quieterLevel(config.LOG_LEVEL), clock, secrets, to });
	if (config.DATABASE_URL === undefined) inspectFolder?.(config.DATA_DIR);
	return openStorage(config, plugins, log, inspect ? { inspect } : {});
}
