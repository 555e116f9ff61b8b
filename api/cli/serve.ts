// Runs the service in the foreground: its banner, its signals and its exit codes.

import { builtinPlugins } from "#api/builtinPlugins.ts";
import { type Service, sectionsOf, startService } from "#api/service/startService.ts";
import { VERSION } from "#api/version.ts";
import { systemClock } from "#core/clock.ts";
import { type Environment, readEnvironment } from "#core/config/readEnvironment.ts";
import { secretsOf } from "#core/config/renderConfig.ts";
import { Fault } from "#core/fault.ts";
import { redactText, secretForms } from "#core/log.ts";
import { bootTree } from "#core/plugin/createHost.ts";
import type { Terminal } from "#core/plugin/Plugin.ts";

/** The parts of a stream that a terminal needs. */
export type TerminalStream = {
	isTTY?: boolean | undefined;
	columns?: number | undefined;
	write(text: string): unknown;
};

type Around = {
	/** Ends what was started for the service, after it. */
	stopAlso?: () => Promise<void>;
	/** Lines of the banner's own manner about that, by where the service is. */
	more?: (url: string) => readonly string[];
	/** Called with the service's URL: its port may be new at each start. */
	onUp?: (url: string) => void;
};

/** To the line's begin, and nothing on it (ECMA-48: EL). */
const CLEAR = "\r\u001b[K";
const COLUMNS_DEFAULT = 80;

/**
 * The exit code EX_CONFIG of sysexits: supervisors can distinguish "will never start like this"
 * from "try again".
 */
const EXIT_CONFIG = 78;
const EXIT_FAILURE = 1;

/**
 * Ignores repeated signals within this time: one Ctrl-C arrives several times, from the terminal
 * and from each runner above us (npx, `bun run`). Only a later signal is a person's second one.
 */
const ECHO_MS = 1_000;

const READY_LOOK_MS = 250;
const LOOKS_BEFORE_WORD = 120;

/** 128 + SIGINT, as shells count. */
const EXIT_INTERRUPTED = 130;

/** Ends a stop that hangs; longer than the service's own drain. */
const STOP_TIMEOUT_MS = 40_000;

/**
 * Runs the service in the foreground until a signal. The banner goes to stderr: stdout holds the
 * log and nothing else.
 */
export async function serve(env: Environment, around: Around = {}): Promise<number> {
	const { stopAlso = async () => {}, more = () => [], onUp = () => {} } = around;
	const beganMs = systemClock.nowMs();
	try {
		const service = await startService({ env });
		onUp(service.url);
		// Before the banner: whoever reads that we are up may already tell us to end.
		const stopped = untilStopped(async () => {
			process.stderr.write("\nstopping …\n");
			await service.stop();
			await stopAlso();
			process.stderr.write("stopped\n");
		}, STOP_TIMEOUT_MS);
		const tookMs = systemClock.nowMs() - beganMs;
		// Whoever reads the banner may be gone: that ends no service.
		process.stderr.on("error", () => {});
		process.stderr.write(banner(service, { tookMs, more: more(service.url) }));
		const waiting = sayReady(service, beganMs);
		await stopped;
		clearInterval(waiting);
		return 0;
	} catch (error) {
		const code = reportFailure(error, env);
		await stopAlso();
		return code;
	}
}

/** Writes what a person sees once the service is up: the boot tree, and what to open first. */
export function banner(service: Service, given: { tookMs: number; more: readonly string[] }) {
	const { tookMs, more } = given;
	const { url, core, host, config, storage } = service;
	const chains = core.indexed.map(({ chain }) => chain.slug);
	const [first = ""] = chains;
	const others = core.reached
		.map(({ chain }) => chain.slug)
		.filter((slug) => !chains.includes(slug));
	const reached = others.length > 0 ? `; reached, not indexed: ${others.join(", ")}` : "";
	const ask = `bun run svc ask --url ${url}`;
	const asks = config.SANDBOX ? ["what's everyone buying", "volume kiln-folk"] : ["trending"];
	const sandbox = config.SANDBOX
		? "\nSANDBOX: a local chain with invented collections. Nothing here is real.\n"
		: "";
	return `
Tapeline ${VERSION}, role ${core.role}, up in ${Math.round(tookMs)} ms
${bootTree(host.steps)}
   chains   ${chains.join(", ")}${reached}
   storage  ${storage.where}
${sandbox}
   market   ${url}/v1/nft-market/collections?chain=${first}&mode=trending
   live     ${url.replace(/^http/, "ws")}/v1/nft-market/discover/stream?chain=${first}
   API      ${url}/openapi
${asks.map((text) => `   ask      ${ask} "${text}"\n`).join("")}\
${more.length > 0 ? `\n${more.map((line) => `   ${line}\n`).join("")}` : ""}
Ctrl-C stops everything that was started here.
`;
}

/** Says once that requests are answered in full, as `/readyz` does; where they are not, why. */
function sayReady(service: Service, beganMs: number): ReturnType<typeof setInterval> {
	let isAsking = false;
	let looks = 0;
	const look = async () => {
		if (isAsking) return;
		isAsking = true;
		const report = await service.ready().catch(() => null);
		isAsking = false;
		looks += 1;
		const tookMs = Math.round(systemClock.nowMs() - beganMs);
		if (report?.ready) {
			clearInterval(timer);
			process.stderr.write(`ready after ${tookMs} ms: ${service.url}/readyz answers 200\n`);
		} else if (looks === LOOKS_BEFORE_WORD) {
			const missing = report?.components.filter(({ ready }) => !ready) ?? [];
			const names = missing.map(({ name }) => name).join(", ") || "its own check";
			process.stderr.write(`not ready after ${tookMs} ms: ${names}; see ${service.url}/readyz\n`);
		}
	};
	const timer = setInterval(look, READY_LOOK_MS);
	void look();
	return timer;
}

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

/**
 * Says on stderr why a command ended, in a form a person can act on; answers the exit code.
 *
 * Without secrets, as the log is: supervisors keep what is written here.
 */
export function reportFailure(error: unknown, env: Environment = readEnvironment()): number {
	// Of the built-in plugins' schemas; of others' the variables whose name says it.
	const secrets = secretForms(secretsOf(sectionsOf(builtinPlugins).all, env));
	const say = (text: string) => process.stderr.write(`${redactText(text, secrets)}\n`);
	if (!(error instanceof Fault)) {
		say((error instanceof Error ? error.stack : undefined) ?? String(error));
		return EXIT_FAILURE;
	}
	say(`\n${error.publicDetail}`);
	// On the operator's own terminal the private part is for them.
	if (error.privateDetail) say(error.privateDetail);
	return error.retry === "never" ? EXIT_CONFIG : EXIT_FAILURE;
}

/**
 * Waits for SIGINT or SIGTERM, then stops everything, within a bound. A second signal ends the
 * process at once: whoever presses Ctrl-C twice means it.
 */
export async function untilStopped(stop: () => Promise<void>, timeoutMs: number): Promise<void> {
	await new Promise<void>((resolve) => {
		let askedAtMs: number | null = null;
		const ask = () => {
			const nowMs = performance.now();
			if (askedAtMs !== null && nowMs - askedAtMs > ECHO_MS) process.exit(EXIT_INTERRUPTED);
			askedAtMs ??= nowMs;
			resolve();
		};
		process.on("SIGINT", ask);
		process.on("SIGTERM", ask);
		process.on("SIGHUP", ask);
	});
	const late = setTimeout(() => process.exit(1), timeoutMs);
	await stop();
	clearTimeout(late);
}

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP, so that a command can end what it is at. A second
 * one ends the process at once.
 */
export function untilInterrupted(): AbortSignal {
	const interrupted = new AbortController();
	let askedAtMs: number | null = null;
	const ask = () => {
		const nowMs = performance.now();
		if (askedAtMs !== null && nowMs - askedAtMs > ECHO_MS) process.exit(EXIT_INTERRUPTED);
		askedAtMs ??= nowMs;
		interrupted.abort();
	};
	process.on("SIGINT", ask);
	process.on("SIGTERM", ask);
	process.on("SIGHUP", ask);
	return interrupted.signal;
}
