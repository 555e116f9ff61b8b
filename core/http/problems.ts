// Answers problems (RFC 9457), and explains each of their codes on a page.

import { createHash } from "node:crypto";
import { Elysia } from "elysia";
import { z } from "zod";
import { type Fault, type FaultEntry, faultCatalogue } from "#core/fault.ts";
import { httpFault, statusWords } from "#core/http/faults.ts";
import type { ProblemIssue } from "#core/http/issues.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canBeReadByAnyPage, canFail } from "#core/http/routeMarks.ts";

/** The form of every error answer: RFC 9457 and our own members. */
export type Problem = {
	type: string;
	title: string;
	status: number;
	detail: string;
	/** Stable, snake_case: programs switch on it. */
	code: string;
	/** Equal to `detail`, for clients that read `message`. */
	message: string;
	requestId: string;
	provider?: string;
	retryAfterMs?: number;
	issues?: readonly ProblemIssue[];
};

/** A page: its title, and its body as escaped HTML. */
export type Page = { title: string; body: string };

/** A code for its page. */
export type DescribedProblem = {
	code: string;
	/** Each meaning of the code, with advice. */
	cases: ProblemCase[];
};

export type ProblemCase = Pick<FaultEntry, "status" | "standsIn" | "meaning"> & { advice: string };

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

const STYLE = [
	":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}",
	"body{max-width:48rem;margin:2rem auto;padding:0 1rem}",
	"dt{font-weight:600;margin-top:1rem}dd{margin-left:0}",
	"code{font-family:ui-monospace,monospace}",
].join("");

/** Nothing is loaded and nothing runs; the one style is allowed by its hash. */
const POLICY = [
	"default-src 'none'",
	`style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

const QUALITY = /;\s*q=([0-9.]+)/;

/** The retry advice of a 503 without its own: long enough not to add load. */
const UNAVAILABLE_RETRY_MS = 5_000;

/** The JSON Schemas of Problem and its parts, by their names in the OpenAPI document. */
export const problemSchemas = {
	ProblemIssue: {
		type: "object",
		description: "One thing that is wrong with a request.",
		required: ["path", "message"],
		properties: {
			path: {
				type: "string",
				description: "Where it is, members joined by dots; empty for the whole part.",
				examples: ["limit"],
			},
			message: {
				type: "string",
				description: "What is wrong with it, as a sentence without its subject.",
				examples: ["must be a whole number from 1 to 200"],
			},
		},
	},
	Problem: {
		type: "object",
		description: "Every error answer (RFC 9457). Switch on `code`; show `message`.",
		required: ["type", "title", "status", "detail", "code", "message", "requestId"],
		properties: {
			type: {
				type: "string",
				format: "uri-reference",
				description: "The address of a page about this code: what it means and what to do.",
			},
			title: { type: "string", description: "The status in words." },
			status: { type: "integer", description: "The HTTP status.", minimum: 400, maximum: 599 },
			detail: { type: "string", description: "What went wrong this time, as a sentence." },
			code: {
				type: "string",
				pattern: "^[a-z][a-z0-9_]*$",
				description: "Which kind of problem. Stable: programs switch on it.",
			},
			message: { type: "string", description: "Equal to `detail`." },
			requestId: { type: "string", description: "Names this request in our logs." },
			provider: {
				type: "string",
				description: "Whose limit or failure it was; `svc` is this service.",
			},
			retryAfterMs: {
				type: "number",
				description: "How long to wait before the next try, in milliseconds.",
			},
			issues: {
				type: "array",
				description: "What is wrong with the request, each thing by itself; 32 at most.",
				items: { $ref: "#/components/schemas/ProblemIssue" },
			},
		},
		examples: [
			{
				type: "/problems/rate_limited",
				title: "Too Many Requests",
				status: 429,
				detail: "Rate limit exceeded: retry in 42 seconds.",
				code: "rate_limited",
				message: "Rate limit exceeded: retry in 42 seconds.",
				requestId: "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69",
				provider: "svc",
				retryAfterMs: 41_377,
			},
		],
	},
} as const;

const caseSchema = z
	.object({
		status: field.integer("The HTTP status that it comes with; of an intent's, at first.", 404),
		standsIn: z.enum(["problem", "intent"]).meta({
			description: "Where the code stands: in a problem document, or in `errorCode` of an intent.",
		}),
		meaning: field.text("What it means.", "There is no such collection in the index."),
		advice: field.text("What to do about it.", "Look the name up with the search route."),
	})
	.meta({ id: "ProblemCase", description: "One thing that a code can mean." });

const problemTypeSchema = z
	.object({
		code: field.text(
			"The `code` of a problem document, or the `errorCode` of an intent.",
			"not_found",
		),
		cases: z.array(caseSchema).meta({ description: "Each thing that it can mean." }),
	})
	.meta({ id: "ProblemType", description: "A code of problems or of intents, explained." });

const listSchema = z
	.object({ problems: z.array(problemTypeSchema).meta({ description: "By code." }) })
	.meta({ id: "ProblemTypeList", description: "Every code of problems and of intents." });

const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const tags = ["operations"];
const forBrowsers = "As a page for browsers (`Accept: text/html`), as JSON for others.";

/**
 * Returns the answer for a Fault, as a document or as a sentence alone. Nothing private (detail,
 * meta, cause) is read here.
 */
export function problemResponse(
	fault: Fault,
	options: { requestId: string; publicUrl?: string | undefined; isInWords?: boolean },
): Response {
	const standard: Problem = {
		type: `${options.publicUrl?.replace(/\/+$/, "") ?? ""}/problems/${fault.code}`,
		title: statusWords(fault.status) ?? "Error",
		status: fault.status,
		detail: fault.publicDetail,
		code: fault.code,
		message: fault.publicDetail,
		requestId: options.requestId,
	};
	// Standard members come first in the text, and override the fault's.
	const problem = { ...standard, ...fault.members, ...standard };
	const headers = new Headers({
		"content-type": "application/problem+json",
		// No cache may keep an error: the next answer may be a good one.
		"cache-control": "no-store",
	});
	const retryMs = retryAfterMs(fault);
	if (retryMs !== undefined) {
		headers.set("retry-after", String(Math.max(1, Math.ceil(retryMs / 1000))));
	}
	// A program that was refused learns how to show who it is (RFC 9110, 11.6.1).
	if (fault.status === 401) headers.set("www-authenticate", "Bearer");
	if (options.isInWords === true) {
		headers.set("content-type", "text/plain; charset=utf-8");
		return new Response(fault.publicDetail, { status: fault.status, headers });
	}
	return new Response(JSON.stringify(problem, plain), { status: fault.status, headers });
}

/** Returns the pages that explain the codes of problem documents; their `type` links to them. */
export function problemRoutes() {
	const all = () => describeProblems(faultCatalogue.all());
	return new Elysia()
		.get(
			"/problems",
			({ request, set }) => {
				set.headers["vary"] = "Accept";
				const problems = all();
				return wantsHtml(request) ? pageResponse(problemListPage(problems)) : { problems };
			},
			{
				response: { 200: listSchema },
				detail: {
					...canBeReadByAnyPage(),
					operationId: "listProblemTypes",
					tags,
					summary: "Lists every code of problems and of intents",
					description: forBrowsers,
				},
			},
		)
		.get(
			"/problems/:code",
			({ request, params, set }) => {
				const found = all().find(({ code }) => code === params.code);
				if (!found) throw httpFault.notFound({ public: "No problem has that code." });
				set.headers["vary"] = "Accept";
				return wantsHtml(request) ? pageResponse(problemPage(found)) : found;
			},
			{
				params: z.object({
					code: z
						.string()
						.regex(CODE, "must be a code")
						.meta({ description: "The `code` of a problem document.", examples: ["not_found"] }),
				}),
				response: { 200: problemTypeSchema },
				detail: {
					...canBeReadByAnyPage(),
					...canFail(httpFault.notFound),
					operationId: "getProblemType",
					tags,
					summary: "Says what a code means and what to do",
					description: forBrowsers,
				},
			},
		);
}

/** Returns a page of text and links as a response. */
export function pageResponse({ title, body }: Page): Response {
	const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
	return new Response(html, {
		headers: {
			"content-type": "text/html; charset=utf-8",
			"content-security-policy": POLICY,
			"cache-control": "no-cache",
			vary: "Accept",
		},
	});
}

/**
 * Returns whether a request prefers a page to JSON: a browser's address bar sends `text/html`;
 * programs send JSON, anything, or nothing.
 */
export function wantsHtml(request: Request): boolean {
	const ranges = (request.headers.get("accept") ?? "").toLowerCase().split(",");
	const weight = (type: string) => {
		const range = ranges.find((one) => one.split(";")[0]?.trim() === type);
		return range === undefined ? 0 : Number(QUALITY.exec(range)?.[1] ?? 1);
	};
	return weight("text/html") > weight("application/json");
}

/** Returns the codes of a catalogue in alphabetical order; equal definitions are one case. */
export function describeProblems(entries: readonly FaultEntry[]): DescribedProblem[] {
	const byCode = Map.groupBy(entries, ({ code }) => code);
	return [...byCode]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([code, defined]) => {
			const cases = defined.map(caseOf);
			const named = cases.map((one) => [`${one.standsIn} ${one.meaning}`, one] as const);
			return { code, cases: [...new Map(named).values()] };
		});
}

/** Returns the page of one code. */
export function problemPage({ code, cases }: DescribedProblem): Page {
	const body = `<dl>${cases.map(shown).join("\n")}</dl>
<p>Who asks for help names the <code>requestId</code> of the answer.
All codes: <a href="/problems">/problems</a>.</p>`;
	return { title: code, body };
}

/** Returns the page of all codes. */
export function problemListPage(problems: readonly DescribedProblem[]): Page {
	const parts = problems.map(({ code, cases }) => {
		const name = escapeHtml(code);
		return `<h2 id="${name}"><a href="/problems/${name}">${name}</a></h2>
<dl>${cases.map(shown).join("\n")}</dl>`;
	});
	const body = `<p>Error answers are <code>application/problem+json</code>.
Their <code>code</code> is one of these, and so is the <code>errorCode</code> of an intent.
Those that no route documents are seen in logs, or where a process does not start.</p>
${parts.join("\n")}`;
	return { title: "Problem codes", body };
}

/** Escapes text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}

function retryAfterMs(fault: Fault): number | undefined {
	const told = fault.members.retryAfterMs;
	if (typeof told === "number" && Number.isFinite(told)) return told;
	return fault.status === 503 || fault.status === 429 ? UNAVAILABLE_RETRY_MS : undefined;
}

function plain(_key: string, value: unknown): unknown {
	return typeof value === "bigint" ? value.toString() : value;
}

function caseOf(entry: FaultEntry): ProblemCase {
	const { status, standsIn, meaning, advice = adviceFor(entry) } = entry;
	return { status, standsIn, meaning, advice };
}

/** Returns the advice that applies to every Fault of this kind. */
function adviceFor({ status, retry }: FaultEntry): string {
	if (retry !== "never") {
		return "Wait as long as `Retry-After` says, or a few seconds, and send the same request again.";
	}
	if (status >= 500) {
		return "Waiting does not help. Tell an operator of the deployment the `requestId`.";
	}
	return "Correct the request before you send it again; `detail` and `issues` say what is wrong.";
}

function shown({ status, standsIn, meaning, advice }: ProblemCase): string {
	const http = `HTTP ${status} ${escapeHtml(statusWords(status) ?? "")}`;
	const where = standsIn === "intent" ? "In the <code>errorCode</code> of an intent" : http;
	return `<dt>${worded(meaning)}</dt>
<dd>${worded(advice)}</dd>
<dd>${where}</dd>`;
}

/** Escapes a sentence, and shows text between backticks as code. */
function worded(text: string): string {
	return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
