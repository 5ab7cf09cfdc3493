// The result of a test: says on the page if no answer came.
(function () {
  "use strict";

  function tell(words) {
    var place = document.getElementById("test-result");
    var notice = document.createElement("p");
    notice.className = "notice bad";
    notice.setAttribute("role", "alert");
    notice.textContent = words;
    place.replaceChildren(notice);
  }
  function isTest(event) {
    return event.detail.target && event.detail.target.id === "test-result";
  }

  // A page swaps in no response with an error status: refusals of tests come as a part of the page.
  document.addEventListener("htmx:afterRequest", function (event) {
    var xhr = event.detail.xhr;
    if (isTest(event) && xhr.status >= 400) tell("No result: the server answered with status " + xhr.status + ". " + xhr.responseText.slice(0, 300));
  });
  ["htmx:sendError", "htmx:timeout"].forEach(function (name) {
    document.addEventListener(name, function (event) {
      if (isTest(event)) tell("No result: the server does not respond. The test may have been sent.");
    });
  });
})();
