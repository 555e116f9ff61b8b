import { authRoutes } from "./authRoutes.ts";
import { collectionRoutes } from "./collectionRoutes.ts";
import { dropRoutes } from "./dropRoutes.ts";
import { eventRoutes } from "./eventRoutes.ts";
import { fulfilmentRoutes } from "./fulfilmentRoutes.ts";
import { nftRoutes } from "./nftRoutes.ts";
import type { Office } from "./Office.ts";
import { orderRoutes } from "./orderRoutes.ts";
import { Refusal } from "./Refusal.ts";
import type { Route } from "./Route.ts";
import { searchRoutes } from "./searchRoutes.ts";
import { traitRoutes } from "./traitRoutes.ts";

const PREFIX = "/api/v2";
const BODY_BYTES_MAX = 100_000;

const routes: readonly Route[] = [
	...authRoutes,
	...collectionRoutes,
	...dropRoutes,
	...eventRoutes,
	...fulfilmentRoutes,
	...nftRoutes,
	...orderRoutes,
	...searchRoutes,
	...traitRoutes,
];
const table = routes.map((route) => ({ route, segments: route.path.split("/") }));

/** Answers one request of the REST API; errors have the provider's form. */
export async function answerRequest(office: Office, request: Request): Promise<Response> {
	const url = new URL(request.url);
	const found = url.pathname.startsWith(`${PREFIX}/`)
		? find(request.method, url.pathname.slice(PREFIX.length))
		: null;
	if (!found) return refused(404, "Not found");
	const body = request.method === "POST" ? await readBody(request) : null;
	const { route, params } = found;
	try {
		const answer = await route.answer({ office, params, query: url.searchParams, body });
		return Response.json(answer, { status: route.path === "/auth/keys" ? 201 : 200 });
	} catch (cause) {
		if (cause instanceof Refusal) return refused(cause.status, cause.message);
		return refused(500, cause instanceof Error ? cause.message : "Internal error");
	}
}

export function refused(status: number, text: string): Response {
	return Response.json({ errors: [text] }, { status });
}

function find(method: string, path: string): { route: Route; params: string[] } | null {
	const asked = path.split("/");
	for (const { route, segments } of table) {
		if (route.method !== method || segments.length !== asked.length) continue;
		const params: string[] = [];
		const fits = segments.every((segment, n) => {
			if (!segment.startsWith(":")) return segment === asked[n];
			params.push(decodeURIComponent(asked[n] ?? ""));
			return true;
		});
		if (fits) return { route, params };
	}
	return null;
}

async function readBody(request: Request): Promise<unknown> {
	const text = await request.text();
	if (text.length > BODY_BYTES_MAX) return null;
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
