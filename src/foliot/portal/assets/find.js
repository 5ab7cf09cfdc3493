// The find dialog (Ctrl-K or Cmd-K), and "/" for the search field of a page.
(function () {
  "use strict";

  var WAIT_MS = 120;
  var dialog, field, list, status, timer, request;
  // The text whose results are shown, and whether Enter waits for those of another.
  var shown = null, opensFirst = false;

  function make(tag, attributes) {
    var element = document.createElement(tag);
    Object.keys(attributes).forEach(function (name) { element.setAttribute(name, attributes[name]); });
    return element;
  }
  function build() {
    dialog = make("dialog", { "class": "find", "aria-label": "Find" });
    field = make("input", {
      type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "find-list", "aria-autocomplete": "list",
      "aria-label": "Find jobs, collections, addresses, alerts and commands", placeholder: "Find a job, collection, address, alert or command",
      maxlength: "200", autocomplete: "off", spellcheck: "false",
    });
    list = make("div", { id: "find-list", "class": "find-list", role: "listbox", "aria-label": "Results", tabindex: "-1" });
    status = make("p", { role: "status", "class": "unseen" });
    var keys = make("p", { "class": "find-keys", "aria-hidden": "true" });
    keys.textContent = "↑ ↓ to choose · Enter to open · Esc to close";
    dialog.append(field, list, status, keys);
    document.body.append(dialog);
    field.addEventListener("input", function () {
      clearTimeout(timer);
      timer = setTimeout(load, WAIT_MS);
    });
    field.addEventListener("keydown", onKey);
    list.addEventListener("mousemove", function (event) { choose(event.target.closest("[role=option]")); });
    list.addEventListener("click", function (event) {
      if (event.target.closest("[role=option]")) dialog.close();
    });
    dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
  }
  function open() {
    if (!dialog) build();
    if (dialog.open || document.querySelector("dialog[open]")) return;
    dialog.showModal();
    field.focus();
    field.select();
    load();
  }

  function load() {
    clearTimeout(timer);
    if (request) request.abort();
    request = new AbortController();
    var text = field.value;
    var address = "/find?" + new URLSearchParams({ q: text, at: location.pathname });
    fetch(address, { headers: { "HX-Request": "true" }, signal: request.signal }).then(function (answer) {
      // The session has ended: the page shows the form to sign in.
      if (answer.redirected || answer.status === 401) location.reload();
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    }).then(function (html) { show(text, html); }, function (error) {
      if (error.name === "AbortError") return;
      opensFirst = false;
      shown = null;
      list.replaceChildren();
      status.textContent = "";
      var words = make("p", { "class": "find-none", role: "presentation" });
      words.textContent = "The server is not responding. Try again.";
      list.append(words);
    });
  }
  function show(text, html) {
    var fresh = new DOMParser().parseFromString(html, "text/html").body;
    list.replaceChildren.apply(list, fresh.childNodes);
    shown = text;
    options().forEach(function (option, index) { option.id = "find-option-" + index; });
    choose(options()[0]);
    var count = options().length;
    status.textContent = count === 1 ? "1 result" : count + " results";
    if (opensFirst) {
      opensFirst = false;
      // What changes something is shown before it is done.
      if (chosen() && chosen().href) chosen().click();
    }
  }

  function options() { return Array.from(list.querySelectorAll("[role=option]")); }
  function chosen() { return list.querySelector("[aria-selected=true]"); }
  function choose(option) {
    if (option === null) return;
    var before = chosen();
    if (before) before.setAttribute("aria-selected", "false");
    if (!option) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", option.id);
  }
  function step(by) {
    var all = options();
    if (!all.length) return;
    var next = all[(all.indexOf(chosen()) + by + all.length) % all.length];
    choose(next);
    next.scrollIntoView({ block: "nearest" });
  }
  function onKey(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter") {
      if (shown !== field.value) {
        opensFirst = true;
        load();
      } else if (chosen()) chosen().click();
    } else return;
    event.preventDefault();
  }

  function isTyping(element) {
    return element.isContentEditable || element.matches("input:not([type=checkbox],[type=radio]),textarea,select");
  }
  document.addEventListener("keydown", function (event) {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    } else if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey
        && !isTyping(event.target) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      var search = document.querySelector("main input[type=search]");
      if (search) {
        search.focus();
        search.select();
      } else open();
    }
  });
  document.addEventListener("click", function (event) {
    var link = event.target.closest("[data-find]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
})();
