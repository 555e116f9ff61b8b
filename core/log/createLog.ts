import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import { loggable } from "#core/log/loggable.ts";
import { redactText } from "#core/log/redactText.ts";
import { secretForms } from "#core/log/secretForms.ts";

const STDOUT = 1;
/** A sentence is ours and short; this is for the one that was built from somebody else's text. */
const MESSAGE_LENGTH_MAX = 2_048;
/** Fields that pino itself writes: a context of the same name would make a line with two. */
const RESERVED = new Set(["time", "level", "message"]);

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export type CreateLogOptions = {
	level: LogLevel;
	clock: Clock;
	/** Values from configuration that must never be written, in none of their forms. */
	secrets?: readonly string[];
	/** Where lines go; standard output by default. */
	to?: DestinationStream;
};

/**
 * The log of the running service: one JSON object a line, with an ISO time.
 *
 * Written synchronously: the line that explains a crash is the one that a buffer would lose.
 */
export function createLog(options: CreateLogOptions): Log {
	const { level, clock, secrets = [], to = destination({ dest: STDOUT, sync: true }) } = options;
	const logger = pino(
		{
			level,
			base: null,
			messageKey: "message",
			timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
			formatters: { level: (label) => ({ level: label }) },
		},
		to,
	);
	return wrap(logger, { bound: {}, secrets: secretForms(secrets) });
}

type Wrapping = { bound: Record<string, unknown>; secrets: readonly string[] };

function wrap(logger: Logger, wrapping: Wrapping): Log {
	const { bound, secrets } = wrapping;
	const at = (level: Exclude<LogLevel, "silent">) => {
		return (message: string, context?: Record<string, unknown>) => {
			// Copying costs more than writing, so it is not done for lines nobody asked for.
			if (!logger.isLevelEnabled(level)) return;
			const fields = { ...bound, ...fieldsOf(context, secrets) };
			logger[level](fields, sentence(message, secrets));
		};
	};
	return {
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
		with: (context) =>
			wrap(logger, { bound: { ...bound, ...fieldsOf(context, secrets) }, secrets }),
	};
}

/** Cut twice: patterns must not run over four megabytes, nor see half a secret at the end. */
function sentence(message: string, secrets: readonly string[]): string {
	const redacted = redactText(message.slice(0, 2 * MESSAGE_LENGTH_MAX), secrets);
	return redacted.slice(0, MESSAGE_LENGTH_MAX).toWellFormed();
}

function fieldsOf(
	context: Record<string, unknown> | undefined,
	secrets: readonly string[],
): Record<string, unknown> {
	if (context === undefined) return {};
	const copied = loggable(context, { secrets });
	if (typeof copied !== "object" || copied === null) return { context: copied };
	// From entries, because assigning a field named `__proto__` would set the prototype instead.
	return Object.fromEntries(
		Object.entries(copied).map(([name, value]) => [RESERVED.has(name) ? `${name}_` : name, value]),
	);
}
