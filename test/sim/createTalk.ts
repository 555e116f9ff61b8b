import { Fault } from "#core/fault/Fault.ts";
import type { Log } from "#core/log/Log.ts";

/** A log for looking into one seed: one short line each, with what an error says. */
export function createTalk(print: (line: string) => void, bound: object = {}): Log {
	const say =
		(level: string) =>
		(message: string, context: Record<string, unknown> = {}) => {
			const { error, ...rest } = { ...bound, ...context };
			const why = error instanceof Fault ? `${error.message} ${error.privateDetail ?? ""}` : error;
			print(`${level} ${message} ${JSON.stringify(rest)} ${why === undefined ? "" : String(why)}`);
		};
	return {
		debug: say("debug"),
		info: say("info"),
		warn: say("warn"),
		error: say("error"),
		with: (more) => createTalk(print, { ...bound, ...more }),
	};
}
