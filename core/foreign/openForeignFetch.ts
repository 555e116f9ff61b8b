import type { CoreConfig } from "#core/config/coreConfig.ts";
import { createForeignFetch } from "#core/foreign/createForeignFetch.ts";
import type { ForeignFetch } from "#core/foreign/ForeignFetch.ts";

/** The process's way out, as the operator wants it; the sandbox's chain leads to nothing real. */
export function openForeignFetch(
	config: Pick<CoreConfig, "SANDBOX" | "FOREIGN_FETCH_ENABLED">,
): ForeignFetch {
	return createForeignFetch({ isOffline: config.SANDBOX || !config.FOREIGN_FETCH_ENABLED });
}
