import type { Terminal } from "#core/plugin/CliCommand.ts";

/** To the line's begin, and nothing on it (ECMA-48: EL). */
const CLEAR = "\r\u001b[K";
const COLUMNS_DEFAULT = 80;

/** What of a stream a terminal is made of. */
export type TerminalStream = {
	isTTY?: boolean | undefined;
	columns?: number | undefined;
	write(text: string): unknown;
};

/** Redraws one line on a terminal; null where the stream is none. */
export function openTerminal(stream: TerminalStream): Terminal | null {
	if (!stream.isTTY) return null;
	let isOpen = false;
	return {
		redraw(line) {
			isOpen = true;
			// A line that wraps cannot be drawn over.
			const fitting = [...line].slice(0, (stream.columns ?? COLUMNS_DEFAULT) - 1).join("");
			stream.write(CLEAR + fitting);
		},
		end() {
			if (isOpen) stream.write("\n");
			isOpen = false;
		},
	};
}
