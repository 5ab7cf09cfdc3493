// The connection to the server: tells when it is lost, recovers by itself, and keeps forms from being lost.
(function () {
  "use strict";

  var ADDRESS = "/healthz";
  var WAIT = 8000, RETRY = 3000, QUIET = 10000;
  var isAway = false, timer = 0, heardAt = Date.now();
  var held = null;

  // A proxy answers with these statuses while the server behind it does not respond.
  function isFromProxy(status) { return status >= 502 && status <= 504; }

  function ask() {
    var stop = new AbortController();
    var limit = setTimeout(function () { stop.abort(); }, WAIT);
    return fetch(ADDRESS, { cache: "no-store", credentials: "omit", signal: stop.signal })
      .then(function (answer) { return !isFromProxy(answer.status); }, function () { return false; })
      .then(function (isThere) { clearTimeout(limit); note(isThere); return isThere; });
  }

  function note(isThere) {
    if (isThere) heardAt = Date.now();
    if (isThere === !isAway) return;
    isAway = !isThere;
    clearInterval(timer);
    timer = isAway ? setInterval(ask, RETRY) : 0;
    showConnection();
    showHeld();
  }

  function showConnection() {
    var element = document.querySelector("[data-connection]");
    if (!element) return;
    var form = document.querySelector("form[data-draft]");
    element.textContent = !isAway ? "" : "Reconnecting… The server is not responding. "
      + (form ? "Your input is kept." : "This page may be out of date.");
    element.className = isAway ? "notice warn connection" : "";
  }

  // A form that was not sent says so, beside its button.
  function showHeld() {
    if (!held) return;
    var name = held.button ? held.button.textContent.trim() : "the button";
    held.words.textContent = isAway
      ? "Not sent: the server is not responding. Your input is kept in this tab."
      : "The server responds again. Press “" + name + "” to send the form.";
    held.words.className = isAway ? "notice warn held" : "notice good held";
  }
  function hold(form, button) {
    if (held) held.words.remove();
    var words = document.createElement("p");
    words.setAttribute("role", "alert");
    // In view: the bar with the buttons of a long form stays at the foot of the window.
    if (button && form.contains(button)) button.before(words); else form.prepend(words);
    held = { button: button, words: words };
    showHeld();
    form.dispatchEvent(new CustomEvent("foliot:held", { bubbles: true }));
  }

  // A form with input is sent only after the server has answered; a simple button, unless it is away.
  document.addEventListener("submit", function (event) {
    var form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (form.dataset.answered) { delete form.dataset.answered; return; }
    if (!("draft" in form.dataset) && !isAway) return;
    event.preventDefault();
    if (form.dataset.asking) return;
    form.dataset.asking = "1";
    var button = event.submitter;
    ask().then(function (isThere) {
      delete form.dataset.asking;
      if (!isThere) { hold(form, button); return; }
      form.dataset.answered = "1";
      form.requestSubmit(button);
    });
  });

  document.addEventListener("htmx:afterRequest", function (event) {
    var status = event.detail.xhr.status;
    if (status) note(!isFromProxy(status));
  });
  ["htmx:sendError", "htmx:timeout"].forEach(function (name) {
    document.addEventListener(name, function () { note(false); });
  });
  window.addEventListener("offline", ask);
  window.addEventListener("online", ask);
  // A page that asks for nothing else asks this.
  setInterval(function () {
    if (!document.hidden && !isAway && Date.now() - heardAt >= QUIET) ask();
  }, QUIET);
})();
