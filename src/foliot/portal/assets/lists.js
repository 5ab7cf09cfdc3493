// Lists: selection of many jobs, refreshes row by row, filters in the address, the way back.
(function () {
  "use strict";

  var BOXES = "input[name=job]";
  var PREFIX = "foliot-list ";

  // "Select all" selects the loaded rows; a second checkbox selects all that match.
  function countSelected(form) {
    var bar = form.querySelector("[data-bulk]");
    if (!bar) return;
    var loaded = form.querySelectorAll(BOXES).length;
    var selected = form.querySelectorAll(BOXES + ":checked").length;
    var total = Number((form.elements.total || { value: 0 }).value);
    var every = form.querySelector("[data-every]");
    every.hidden = !(loaded && selected === loaded && total > loaded);
    if (every.hidden) form.elements.every.checked = false;
    var count = form.elements.every.checked ? total : selected;
    bar.hidden = selected === 0;
    // Running several jobs needs a confirmation.
    bar.querySelector("[data-one]").hidden = count !== 1;
    bar.querySelector("[data-several]").hidden = count === 1;
    setText(form, "[data-chosen]", count.toLocaleString("en"));
    setText(form, "[data-total]", total.toLocaleString("en"));
    setText(form, "[data-jobs]", count.toLocaleString("en") + (count === 1 ? " job" : " jobs"));
  }
  function setText(root, selector, text) {
    root.querySelectorAll(selector).forEach(function (element) { element.textContent = text; });
  }
  function countAll() {
    document.querySelectorAll("form[data-many]").forEach(function (form) {
      var all = form.querySelector("[data-all]");
      if (all && all.checked) check(form, true);
      countSelected(form);
    });
  }
  function check(form, isChecked) {
    form.querySelectorAll(BOXES).forEach(function (box) { box.checked = isChecked; });
  }

  document.addEventListener("change", function (event) {
    var target = event.target;
    var form = target.form;
    if (!form || !target.matches("[data-all],input[name=every]," + BOXES)) return;
    if (target.matches("[data-all]")) check(form, target.checked);
    if (target.matches(BOXES) && !target.checked) {
      var all = form.querySelector("[data-all]");
      if (all) all.checked = false;
    }
    countSelected(form);
  });

  // Enter in a list presses the hidden button: do not submit, and keep the selection.
  document.addEventListener("submit", function (event) {
    if (event.submitter && event.submitter.value === "nothing") event.preventDefault();
  });

  // A refresh changes rows in place, so that selection, focus and scroll position stay.
  function merge(list, html) {
    var fresh = new DOMParser().parseFromString(html, "text/html").getElementById("list");
    if (!fresh) return;
    list.setAttribute("hx-get", fresh.getAttribute("hx-get"));
    var body = list.querySelector("tbody"), wanted = fresh.querySelector("tbody");
    if (!body || !wanted) {
      list.replaceChildren.apply(list, fresh.childNodes);
      window.htmx.process(list);
    } else {
      var anchor = firstVisible(body), focused = document.activeElement;
      var top = anchor ? anchor.getBoundingClientRect().top : 0;
      copyInside(list.querySelector("[data-filter]"), fresh.querySelector("[data-filter]"));
      mergeRows(body, wanted);
      if (anchor && anchor.isConnected) window.scrollBy(0, anchor.getBoundingClientRect().top - top);
      if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
    }
    var form = list.closest("form[data-many]");
    if (form) keepSelection(form);
  }
  function mergeRows(body, wanted) {
    var known = {}, ids = {};
    rowsOf(wanted).forEach(function (row) { ids[row.id] = true; });
    rowsOf(body).forEach(function (row) {
      if (ids[row.id]) known[row.id] = row;
      else row.remove();
    });
    var place = body.firstElementChild;
    rowsOf(wanted).forEach(function (row) {
      var old = known[row.id];
      if (!old) body.insertBefore(row, place);
      else {
        mergeCells(old, row);
        if (old === place) place = place.nextElementSibling;
        else body.insertBefore(old, place);
      }
    });
    var more = body.querySelector("tr.detail"), next = wanted.querySelector("tr.detail");
    if (more && next && more.getAttribute("hx-get") === next.getAttribute("hx-get")) return;
    if (more) more.remove();
    if (next) {
      body.append(next);
      window.htmx.process(next);
    }
  }
  function mergeCells(old, row) {
    Array.prototype.forEach.call(old.cells, function (cell, index) {
      if (!cell.classList.contains("tick") && !cell.contains(document.activeElement)) copyInside(cell, row.cells[index]);
    });
  }
  function copyInside(element, from) {
    if (element && from && element.innerHTML !== from.innerHTML) element.replaceChildren.apply(element, from.childNodes);
  }
  function rowsOf(body) {
    return Array.prototype.slice.call(body.querySelectorAll("tr[id]"));
  }
  function firstVisible(body) {
    return window.scrollY > 0 && rowsOf(body).filter(function (row) {
      return row.getBoundingClientRect().bottom > 0;
    })[0];
  }
  // A row that is new is only selected if all jobs that match are.
  function keepSelection(form) {
    var all = form.querySelector("[data-all]");
    if (form.elements.every && form.elements.every.checked) check(form, true);
    else if (all && form.querySelector(BOXES + ":not(:checked)")) all.checked = false;
    countSelected(form);
  }

  function isRefresh(event) {
    var list = event.detail.elt;
    return list.id === "list" && "list" in list.dataset && event.detail.target === list;
  }
  document.addEventListener("htmx:configRequest", function (event) {
    if (event.detail.elt.matches("form[data-filters]")) showAddress(event.detail.elt);
    if (!isRefresh(event)) return;
    event.detail.path = event.detail.elt.getAttribute("hx-get");
    event.detail.parameters.append("rows", String(rowsOf(event.detail.elt).length));
  });
  document.addEventListener("htmx:beforeRequest", function (event) {
    // What a dialog says must stay true while it is open.
    if (isRefresh(event) && document.querySelector("dialog[open]")) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", function (event) {
    if (!isRefresh(event) || !event.detail.shouldSwap) return;
    event.detail.shouldSwap = false;
    // A filter that has changed meanwhile has replaced the list.
    if (event.detail.elt.isConnected) merge(event.detail.elt, event.detail.xhr.responseText);
  });
  document.addEventListener("htmx:afterSwap", countAll);

  // The address has the filters, so that Back, a reload and a link show the same list.
  function showAddress(form) {
    var query = new URLSearchParams(new FormData(form));
    Array.from(query.keys()).forEach(function (name) { if (!query.get(name)) query.delete(name); });
    var text = query.toString();
    history.replaceState(history.state, "", form.getAttribute("action") + (text ? "?" + text : ""));
  }

  // Back shows as many rows as before, at the same position.
  function remember() {
    var list = document.querySelector("[data-list]");
    if (!list) return;
    var state = { rows: rowsOf(list).length, top: window.scrollY };
    try { sessionStorage.setItem(PREFIX + location.pathname + location.search, JSON.stringify(state)); } catch (error) { /* not allowed, or full */ }
  }
  function recall() {
    try { return JSON.parse(sessionStorage.getItem(PREFIX + location.pathname + location.search)); } catch (error) { return null; }
  }
  function comesBack() {
    var entry = performance.getEntriesByType("navigation")[0];
    return Boolean(entry) && (entry.type === "back_forward" || entry.type === "reload");
  }
  function restore() {
    var list = document.querySelector("[data-list]");
    var state = comesBack() && recall();
    if (!list || !state || state.rows <= rowsOf(list).length) return;
    var address = new URL(list.getAttribute("hx-get"), location.href);
    address.searchParams.set("rows", String(state.rows));
    fetch(address, { headers: { "HX-Request": "true" } }).then(function (answer) {
      return answer.status === 200 ? answer.text() : "";
    }).then(function (html) {
      if (!html || !list.isConnected) return;
      merge(list, html);
      window.scrollTo(0, state.top);
    }, function () { /* the first part is shown */ });
  }

  window.addEventListener("pagehide", remember);
  countAll();
  restore();
})();
