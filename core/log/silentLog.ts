import type { Log } from "#core/log/Log.ts";

const nothing = () => {};

/** Says nothing. For tests and for command line tools whose output is their answer. */
export const silentLog: Log = {
	debug: nothing,
	info: nothing,
	warn: nothing,
	error: nothing,
	with: () => silentLog,
};
