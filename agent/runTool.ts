// Runs a tool, with its input and output checked and its time limited.

import { TOOL_TIMEOUT_MS } from "#agent/agentConfig.ts";
import { agentFault } from "#agent/faults.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import { faultOf } from "#core/http/faults.ts";
import { flatIssues, issueWords } from "#core/http/issues.ts";
import type { Log } from "#core/log.ts";
import type { AnyTool, ToolContext, ToolLink } from "#core/plugin/Tool.ts";

/** The result of a tool, ready to be shown: fully checked, or a refusal. */
export type ToolResult =
	| {
			kind: "done";
			output: unknown;
			/** As the tool renders it: not yet made harmless, not yet cut. */
			text: string;
			/** ISO time of the oldest figure; null where nothing in it gets old. */
			asOf: string | null;
			links: readonly ToolLink[];
	  }
	| {
			kind: "choose";
			question: string;
			slot: string;
			choices: readonly { value: string; label: string }[];
	  }
	| { kind: "refused"; fault: Fault };

export type RunToolOptions = {
	clock: Clock;
	log: Log;
	/** Aborts when the service ends. */
	ending: AbortSignal;
	timeoutMs?: number;
};

/** Runs a tool for a caller; never throws. */
export type RunTool = (
	tool: AnyTool,
	/**
	 * Returns the input of a tool. May throw: a plugin's command converts its values to the input.
	 */
	inputOf: () => unknown,
	context: ToolContext,
) => Promise<ToolResult>;

/**
 * Makes the one function that runs tools, for commands, chat and MCP alike. Input and output are
 * parsed by the tool's schemas, a Fault becomes its public sentence, and any other error is logged
 * and answered without its cause.
 */
export function createRunTool(options: RunToolOptions): RunTool {
	return async (tool, inputOf, context) => {
		try {
			return await run(tool, inputOf, { ...context, ...options });
		} catch (error) {
			return { kind: "refused", fault: told(error, tool, options.log) };
		}
	};
}

async function run(
	tool: AnyTool,
	inputOf: () => unknown,
	given: ToolContext & RunToolOptions,
): Promise<ToolResult> {
	const { caller, idempotencyKey, text } = given;
	const typed = text === undefined ? {} : { text };
	if (tool.access === "profile" && caller.profileId === null) throw agentFault.signInNeeded();
	const parsed = await tool.input.safeParseAsync(inputOf(), { error: issueWords });
	if (!parsed.success) {
		const [issue] = flatIssues(parsed.error.issues);
		const words = issue ? `${issue.path} ${issue.message}`.trim() : "the values do not fit";
		throw agentFault.inputInvalid({ public: `${capital(words)}.` });
	}
	const answer = await inTime(tool, given, (signal) =>
		tool.run(parsed.data, { caller, idempotencyKey, ...typed, signal }),
	);
	if (answer.kind === "choose") return answer;
	// A tool is code of a plugin: its output is shown only if all of it is valid.
	const output = tool.output.parse(answer.output);
	const asOfMs = tool.asOfMs(output);
	return {
		kind: "done",
		output,
		text: tool.line(output),
		asOf: asOfMs === null ? null : new Date(asOfMs).toISOString(),
		links: tool.links?.(output) ?? [],
	};
}

/** Rejects after the tool's time, or when the caller is gone; the tool's signal aborts then. */
async function inTime<Result>(
	tool: AnyTool,
	{ signal, ending, timeoutMs = TOOL_TIMEOUT_MS }: ToolContext & RunToolOptions,
	work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	const late = AbortSignal.timeout(timeoutMs);
	const stopped = AbortSignal.any([signal, ending, late]);
	const { promise, reject } = Promise.withResolvers<never>();
	const give = () => {
		const detail = late.aborted ? `took longer than ${timeoutMs} ms` : "its caller was gone";
		reject(unfinished(tool, { detail }));
	};
	if (stopped.aborted) throw unfinished(tool, { detail: "its caller was gone" });
	stopped.addEventListener("abort", give, { once: true });
	try {
		return await Promise.race([work(stopped), promise]);
	} catch (error) {
		// Once stopped, the tool's own error does not matter.
		if (stopped.aborted && !(error instanceof Fault)) {
			throw unfinished(tool, { cause: error, detail: "ended with its signal" });
		}
		throw error;
	} finally {
		stopped.removeEventListener("abort", give);
	}
}

/**
 * Returns the fault of an unfinished tool: not done if it only reads, unknown if it changes state.
 */
function unfinished({ effect, name }: AnyTool, { detail, cause }: Unfinished): Fault {
	const make = effect === "read" ? agentFault.toolTimeout : agentFault.toolOutcomeUnknown;
	return make({ detail: `${name}: ${detail}`, cause });
}

type Unfinished = { detail: string; cause?: unknown };

function told(error: unknown, tool: AnyTool, log: Log): Fault {
	const known = error instanceof Fault ? error : faultOf(error);
	// An unreachable database has a Fault of its own; everything else is our mistake.
	if (known.code !== "internal_error") {
		log.debug("a tool was refused", { tool: tool.name, code: known.code, error });
		return known;
	}
	log.error("a tool failed", { tool: tool.name, error });
	const make = tool.effect === "read" ? agentFault.toolFailed : agentFault.toolOutcomeUnknown;
	return make({ cause: error });
}

function capital(words: string): string {
	return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
