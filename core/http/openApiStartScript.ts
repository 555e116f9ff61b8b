/**
 * Starts the page. A file of its own, because the page's policy forbids inline scripts.
 *
 * `validatorUrl: null` matters: the library otherwise sends the document to a server of its makers.
 */
export const openApiStartScript = `window.ui = SwaggerUIBundle({
	url: "/openapi/json",
	domNode: document.getElementById("page"),
	deepLinking: true,
	validatorUrl: null,
	persistAuthorization: false,
	displayRequestDuration: true,
});
`;
