import { type RequestTarget, readTarget } from "#core/http/requests.ts";

/** Returns the target of a path on this machine. For tests. */
export function targetOf(path: string): RequestTarget {
	return readTarget(new Request(`http://localhost${path}`));
}
