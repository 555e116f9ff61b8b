import { agentFault } from "#agent/faults.ts";
import { TOOL_TIMEOUT_MS } from "#agent/limits.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import { faultOf } from "#core/http/faultOf.ts";
import { flatIssues } from "#core/http/flatIssues.ts";
import { issueWords } from "#core/http/issueWords.ts";
import type { Log } from "#core/log/Log.ts";
import type { AnyTool, ToolContext, ToolLink } from "#core/plugin/Tool.ts";

/** What came of a tool, ready to be told: all of it was checked, or none of it is there. */
export type ToolResult =
	| {
			kind: "done";
			output: unknown;
			/** As the tool renders it: not yet harmless, not yet short. */
			text: string;
			/** ISO time of the oldest figure; null where nothing in it ages. */
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

/** Runs a tool for somebody; never throws. */
export type RunTool = (
	tool: AnyTool,
	/** May throw: a command's own way to make an input of its values is code of a plugin. */
	inputOf: () => unknown,
	context: ToolContext,
) => Promise<ToolResult>;

/**
 * Makes the one way in which tools are run, by command, chat and MCP alike: input and output are
 * parsed by the tool's schemas, a Fault becomes its public sentence, and anything else is logged
 * and told without a word about its cause.
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
	const { caller, idempotencyKey } = given;
	if (tool.access === "profile" && caller.profileId === null) throw agentFault.signInNeeded();
	const parsed = await tool.input.safeParseAsync(inputOf(), { error: issueWords });
	if (!parsed.success) {
		const [issue] = flatIssues(parsed.error.issues);
		const words = issue ? `${issue.path} ${issue.message}`.trim() : "the values do not fit";
		throw agentFault.inputInvalid({ public: `${capital(words)}.` });
	}
	const answer = await inTime(tool, given, (signal) =>
		tool.run(parsed.data, { caller, idempotencyKey, signal }),
	);
	if (answer.kind === "choose") return answer;
	// A tool is code of a plugin: what it answers is shown whole, or not at all.
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

/** Gives the tool up after its time, or when whoever asked is gone; the tool's signal says so. */
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
		// What a tool says when it is stopped is the same, whatever its words for it are.
		if (stopped.aborted && !(error instanceof Fault)) {
			throw unfinished(tool, { cause: error, detail: "ended with its signal" });
		}
		throw error;
	} finally {
		stopped.removeEventListener("abort", give);
	}
}

/** What only reads was not done; what changes something may have been. */
function unfinished({ effect, name }: AnyTool, { detail, cause }: Unfinished): Fault {
	const make = effect === "read" ? agentFault.toolTimeout : agentFault.toolOutcomeUnknown;
	return make({ detail: `${name}: ${detail}`, cause });
}

type Unfinished = { detail: string; cause?: unknown };

function told(error: unknown, tool: AnyTool, log: Log): Fault {
	const known = error instanceof Fault ? error : faultOf(error);
	// A database that is away is a Fault of the edge's own table; everything else is our mistake.
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
