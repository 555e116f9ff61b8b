import { Fault } from "#core/fault/Fault.ts";
import type { Log } from "#core/log/Log.ts";

/**
 * Logs that a page was not rebuilt. A fault is expected, told by whoever raised it, and answered to
 * a client who waits for the page: a line for each page of an upstream that is away is a flood.
 */
export function logRebuildFailure(
	log: Pick<Log, "warn" | "debug">,
	key: string,
	error: unknown,
): void {
	if (error instanceof Fault) log.debug("a page was not rebuilt", { key, code: error.code });
	else log.warn("a page was not rebuilt", { key, error });
}
