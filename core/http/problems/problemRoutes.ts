import { Elysia } from "elysia";
import { z } from "zod";
import { faultCatalogue } from "#core/fault/faultCatalogue.ts";
import { canFail } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { field } from "#core/http/openapi/field.ts";
import { pageResponse } from "#core/http/pages/pageResponse.ts";
import { wantsHtml } from "#core/http/pages/wantsHtml.ts";
import { describeProblems } from "#core/http/problems/describeProblems.ts";
import { problemListPage, problemPage } from "#core/http/problems/problemPages.ts";

const caseSchema = z
	.object({
		status: field.integer("The HTTP status that it comes with.", 404),
		meaning: field.text("What it means.", "There is no such collection in the index."),
		advice: field.text("What to do about it.", "Look the name up with the search route."),
	})
	.meta({ id: "ProblemCase", description: "One thing that a code can mean." });

const problemTypeSchema = z
	.object({
		code: field.text("The `code` of a problem document.", "not_found"),
		cases: z.array(caseSchema).meta({ description: "Each thing that it can mean." }),
	})
	.meta({ id: "ProblemType", description: "A code of problem documents, explained." });

const listSchema = z
	.object({ problems: z.array(problemTypeSchema).meta({ description: "By code." }) })
	.meta({ id: "ProblemTypeList", description: "Every code of problem documents." });

const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const tags = ["operations"];
const forBrowsers = "As a page for browsers (`Accept: text/html`), as JSON for others.";

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
					operationId: "listProblemTypes",
					tags,
					summary: "Lists every code of problem documents",
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
					...canFail(httpFault.notFound),
					operationId: "getProblemType",
					tags,
					summary: "Says what a code means and what to do",
					description: forBrowsers,
				},
			},
		);
}
