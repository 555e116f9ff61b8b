import type { Office } from "./Office.ts";

export type Asked = {
	office: Office;
	/** Decoded path segments, in the order of the path's `:` names. */
	params: string[];
	query: URLSearchParams;
	/** Parsed JSON of a POST; null where there was none. */
	body: unknown;
};

/** A path with `:name` segments, and its answer with status 200; a Refusal is any other answer. */
export type Route = {
	method: "GET" | "POST";
	path: string;
	answer(asked: Asked): unknown;
};
