import { httpFault } from "#core/http/httpFault.ts";
import { requestContexts } from "#core/http/requestContexts.ts";

/** By which names the service is reached, and which pages may call it. */
export type Door = {
	/** Where strangers reach it (`PUBLIC_URL`), where that is known. */
	publicUrl: string | undefined;
	/** What it listens on (`HOST`). */
	listensOn: string;
	/** Origins of pages of others (`WEB_ALLOWED_ORIGINS`). */
	allowedOrigins: readonly string[];
};

/**
 * Throws `origin_not_allowed` (403) for a request of a web page that may not call, and for one to a
 * name that is not ours.
 *
 * A page whose own name was pointed at this machine (DNS rebinding) counts as the same origin for
 * its browser, and sends a session's token from nowhere but asks what anybody may. So unlike for
 * the other routes the same host is not enough: the origin is ours, or listed.
 */
export function guardDoor(request: Request, door: Door): void {
	const origin = request.headers.get("origin");
	if (origin !== null && !originsOf(door).includes(origin) && !isLocalPage(origin, door)) {
		throw httpFault.originNotAllowed();
	}
	const host = requestContexts.get(request)?.target.host ?? new URL(request.url).host;
	if (!knowsHost(host, door)) {
		throw httpFault.originNotAllowed({ public: "This service is not reached by that host name." });
	}
}

function originsOf({ publicUrl, allowedOrigins }: Door): string[] {
	const own = publicUrl === undefined ? [] : [new URL(publicUrl).origin];
	return [...own, ...allowedOrigins];
}

/** Where only this machine gets in, its own pages may call: nobody can point a name at them. */
function isLocalPage(origin: string, { listensOn }: Door): boolean {
	if (!isLoopback(listensOn) || !URL.canParse(origin)) return false;
	const { protocol, hostname } = new URL(origin);
	return /^https?:$/.test(protocol) && isLoopback(hostname);
}

/** Behind a proxy without a `PUBLIC_URL` any name may be ours: then the origin alone decides. */
function knowsHost(host: string, { publicUrl, listensOn }: Door): boolean {
	if (!URL.canParse(`http://${host}`)) return false;
	const { hostname } = new URL(`http://${host}`);
	if (isLoopback(hostname) || hostname === listensOn) return true;
	if (publicUrl !== undefined) return hostname === new URL(publicUrl).hostname;
	return !isLoopback(listensOn);
}

function isLoopback(hostname: string): boolean {
	return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}
