import type { LogLevel } from "#core/log/createLog.ts";

/** Each step of the work as a line is for a service; a command shows its own progress. */
export function quieterLevel(level: LogLevel): LogLevel {
	return level === "info" ? "warn" : level;
}
